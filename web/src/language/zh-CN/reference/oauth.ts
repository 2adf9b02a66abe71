/** The authorization server, and applications. */
export default {
  'Get the metadata of the authorization server': '此授权服务器的元数据',
  'Get the authorization server metadata at its standard address': '此授权服务器的元数据，位于标准地址',
  'Get the authorization server metadata in the RFC 8414 format': '此授权服务器的元数据，按 RFC 8414 的格式',
  'Get the protected resource metadata of the account API, including its authorization server':
    '账号 API 的元数据：由哪个授权服务器签发令牌',
  'Get the protected resource metadata of another resource by its path: v1, mcp, mcp/{server}':
    '其他资源的元数据，按路径查询：v1、mcp、mcp/{server}',
  'Get the public keys that verify ID tokens (RFC 7517)': '用于校验 ID 令牌的公钥（RFC 7517）',
  'Log out of the service on behalf of an application; without a valid id_token_hint, the user is asked to confirm':
    '由应用发起退出登录；没有有效的 id_token_hint 时会询问用户',
  'Log out of the service on behalf of an application, with a form post': '由应用发起退出登录，以表单提交',
  'Log out after the user confirmed it': '用户确认后退出登录',
  'Register a client without a user; its secret and registration token are shown only once':
    '无需用户即可注册客户端；其密钥和注册令牌仅显示一次',
  'Get the registration of a client, using its registration token': '凭注册令牌查询客户端的注册信息',
  'Replace the registration of a client': '替换客户端的注册信息',
  'Delete a client with its tokens and consents': '移除客户端及其令牌和授权',
  'Get the details of an authorization request for the consent screen': '应用请求的权限，供授权页面使用',
  'Approve or deny an authorization request': '同意或拒绝',
  'Answer an authorization request with prompt=none without asking the user, who may be logged in or not':
    '在不询问用户的情况下应答 prompt=none 的请求，无论是否已登录',
  'Mark the page of a pushed authorization request as opened, so that the user has time to log in first':
    '推送的授权请求页面已打开：用户可以从容操作，必要时先登录',
  'Push an authorization request; the browser then continues with its request_uri':
    '推送授权请求；随后浏览器凭 request_uri 访问',
  'Request a device code and a user code to be entered on another device': '申请设备代码，由用户在其他设备上输入',
  'Get the details of the device request with this user code, for the page where it is entered':
    '持有此代码的设备请求的权限，供输入代码的页面使用',
  'Approve or deny the device with this user code': '允许或拒绝持有此代码的设备',
  'Exchange an authorization code, device code or token for tokens, or refresh a token':
    '用授权码、设备代码或令牌换取令牌，或刷新令牌',
  'Revoke an access or refresh token': '吊销访问令牌或刷新令牌',
  'Introspect one of the client’s own tokens': '查询自己的令牌',
  'Get the claims about the user that the granted scopes allow': '在权限范围内的用户信息',
  'Get the claims about the user with POST (OpenID Connect); the token is sent in the header, or as access_token of a form':
    '以 POST 获取权限范围内的用户信息（OpenID Connect）；令牌放在请求头中，或作为表单的 access_token 发送',
  'Update the user’s display name or picture (scope profile)': '修改显示名称或头像（权限 profile）',
  'List the user’s API tokens, masked (scope tokens:read)': '用户的 API 令牌（已遮盖，权限 tokens:read）',
  'Create an API token for the user; the full key is shown only once (scope tokens:write)':
    '为用户创建 API 令牌；完整密钥仅显示一次（权限 tokens:write）',
  'Delete one of the user’s API tokens (scope tokens:write)': '删除用户的 API 令牌（权限 tokens:write）',
  'List your applications': '我的应用',
  'Register an application; the client secret is shown only once': '注册应用；客户端密钥仅显示一次',
  'Get one of your applications': '我的某个应用',
  'Update an application': '修改应用',
  'Delete an application with its tokens and consents': '删除应用及其令牌和授权',
  'Transfer an application to a team of an organisation that you manage': '将应用交给你所管理组织的某个团队',
  'Rotate the client secret; the old secret stops working immediately': '生成新的客户端密钥；旧密钥立即失效',
  'Get the webhook signing secret': 'Webhook 签名密钥',
  'Rotate the webhook signing secret': '生成新的 Webhook 签名密钥',
  'List the applications you have authorized': '我已授权的应用',
  'Update the spending limit of an application (scope models:use)': '修改应用的支出上限（权限 models:use）',
  'Revoke an application’s access': '撤销应用的访问权限',
  'List the keys that sign ID tokens, newest first': '签发 ID 令牌的密钥，最新的在前',
  'Rotate the signing keys: once applications can know the new ones, or immediately if the old ones leaked':
    '更换签名密钥：待应用能够获知后启用；旧密钥泄露时可立即启用',
  'List all applications': '所有应用',
  'List the applications that a user has authorized': '某个用户已授权的应用',
  'Verify an application': '将应用标记为已验证',
  'Unverify an application': '取消应用的已验证标记',
  'Suspend an application': '停用应用',
  'Activate an application': '启用应用',
  'Set the rate limit for an application’s tokens': '限制使用应用令牌的调用次数',
  'List the audit log, newest first; format=csv exports at most 10,000 entries':
    '审计日志，最新的在前；format=csv 最多导出 10,000 条',

  'Discard the old keys; everything they signed becomes invalid': '弃用旧密钥：由其签名的内容不再有效',
  'Redirect to the application or to a page of this service': '跳转到应用或本服务的页面',
  'Client metadata (RFC 7591 §2); unsupported fields are ignored': '客户端元数据（RFC 7591 §2）；不支持的字段会被忽略',
  'List of addresses; at least one if `grant_types` includes `authorization_code`':
    '地址列表；若 `grant_types` 包含 `authorization_code` 则至少一个',
  'Page that posts the response to an application that requested response_mode=form_post; for browsers':
    '向请求 response_mode=form_post 的应用提交响应的页面；供浏览器使用',
  'A form that submits itself': '自动提交的表单',
  'Shown to users; 1-64 characters': '向用户显示；1-64 个字符',
  '`none`, `client_secret_basic` (the default), `client_secret_post`, `private_key_jwt`':
    '`none`、`client_secret_basic`（默认）、`client_secret_post`、`private_key_jwt`',
  'With `private_key_jwt`: public keys of the client, as a JSON Web Key Set':
    '使用 `private_key_jwt` 时：公钥，JSON Web Key Set 格式',
  'Alternatively, the https address of the key set': '或公钥所在的 https 地址',
  'Names, separated by spaces': '名称列表，以空格分隔',
  'For updates: the client’s own ID': '修改注册信息时：填写自己的值',
  'For updates: the client’s own secret, or omitted': '修改注册信息时：填写自己的值，或省略',
  'No content': '无内容',
  'For browsers, a page that says so': '对浏览器为说明此情况的页面',
  'With OpenID Connect: source of the application’s details, `owner`, `document` (at its client ID) or `registration`':
    '启用 OpenID Connect 时：应用信息的来源，`owner`、`document`（位于其客户端 ID）或 `registration`',
  'Host of that document': '该文档所在的主机',
  'If the scope models:use is requested: the limit that the user set before':
    '请求 models:use 权限时：用户先前设置的上限',
  'With OpenID Connect: resources the tokens would be valid for, if the application specifies them':
    '启用 OpenID Connect 时：令牌的用途（应用指明时）',
  'What the application could use of a server at this address': '此地址的服务器上，应用可以使用的内容',
  'Whether all current and future tools are included; otherwise only the tools named in the scopes':
    '现有及以后的全部工具；否则仅限权限中列出的工具',
  'First line of the description, as plain text': '首行内容，纯文本',
  'With OpenID Connect: what `prompt` and `max_age` require of the user before an answer':
    '启用 OpenID Connect 时：应答前 `prompt` 和 `max_age` 对用户的要求',
  'With OpenID Connect: value to send after a new login, as proof of it':
    '启用 OpenID Connect 时：重新登录后附带，用于证明刚刚登录过',
  'In total, or per calendar month (UTC)': '总计，或每个自然月（UTC）',
  'Whether the request has prompt=none': '是否带有 prompt=none',
  'JWT signed by the client (RFC 7523 §2.2)': '由客户端签名的 JWT（RFC 7523 §2.2）',
  'Absent for an exchanged token': '换取的令牌没有此项',
  'Type of an exchanged token (RFC 8693)': '换取的令牌的类型（RFC 8693）',
  'With OpenID Connect, if the scope `openid` was requested': '启用 OpenID Connect 且请求了 `openid` 时',
  'Key that the token is bound to (RFC 9449)': '令牌绑定的密钥（RFC 9449）',
  'Client that acts for the user with an exchanged token (RFC 8693 §4.1)':
    '使用换取的令牌代表用户操作者（RFC 8693 §4.1）',
  'Reject authorization requests that were not pushed (RFC 9126)': '拒绝未经推送的授权请求（RFC 9126）',
  'Issue tokens only with a proof of possession (RFC 9449)': '没有持有证明时不签发令牌（RFC 9449）',
  'Whether redirects include `iss` (RFC 9207)': '重定向是否带有 `iss`（RFC 9207）',
  'Whether the application may exchange tokens for others that act for the user (RFC 8693)':
    '是否可以换取代表用户操作的其他令牌（RFC 8693）',
  'Other clients that may exchange tokens issued to this one': '可以用签发给此客户端的令牌换取令牌的其他客户端',
  'Public keys (JSON Web Key Set) that the application authenticates with, instead of a secret (RFC 7523)':
    '用于证明身份的公钥（JSON Web Key Set），代替密钥（RFC 7523）',
  'JSON array, as text': 'JSON 数组，以文本表示',
  'Source of the application’s details: its `owner`, the `document` at its client ID, or its own `registration`':
    '应用信息的来源：`owner`（所有者）、`document`（位于其客户端 ID 的文档）或 `registration`（自行注册）',
  'Authentication method; a secret may also be sent in the body': '证明身份的方式；密钥也可以放在请求体中',
  'Amount spent in the current window, in quota units': '本周期至今，以额度单位计',
  'Empty if no user of this service registered it': '不是由本服务的用户注册时为空',
  'Display name: the username, or the name of an organisation': '显示的名称：用户名或组织名称',
  'The application’s updated_at when it was read; 409 if it has changed since':
    '查看时应用的版本；其间有变更则返回 409',
  'Maximum calls per hour; 0 for no limit': '每小时调用次数；0 表示不限',
  'Name of the application when the user authorized it': '用户同意授权时应用的名称',
  'Time from which the key signs': '开始用于签名的时间',
  'Time from which the key no longer signs': '停止用于签名的时间',
  'Host of the document that describes the application, if no user of this service registered it':
    '不是由本服务的用户注册时，描述该应用的文档所在的主机',
  'Start an authorization request with a form post (OpenID Connect); for browsers, which are redirected to the page':
    '以表单发送的请求（启用 OpenID Connect 时）：供浏览器使用，并转到授权页面',
  'Redirect to the page': '转到页面',
  'Number of API keys the application created for you that still exist': '它为你创建、目前仍存在的 API 密钥数量',
  'What to do with the API keys that the application created for you': '如何处理它为你创建的 API 密钥',
} as const;
