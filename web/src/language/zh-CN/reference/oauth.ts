/** The authorization server, and applications. */
export default {
  'What this authorization server offers': '此授权服务器的元数据',
  'The same at its usual place': '同上，位于标准地址',
  'The same as RFC 8414 has it': '同上，按 RFC 8414 的格式',
  'Of the account API: which authorization server gives tokens for it': '账号 API 的元数据：由哪个授权服务器签发令牌',
  'The same of another resource, by its path: v1, mcp, mcp/{server}': '同上，按路径查询其他资源：v1、mcp、mcp/{server}',
  'Public keys by which ID tokens are checked (RFC 7517)': '用于校验 ID 令牌的公钥（RFC 7517）',
  'Log out of the service on behalf of an application; the user is asked without a valid id_token_hint':
    '由应用发起退出登录；没有有效的 id_token_hint 时会询问用户',
  'The same, sent as a form': '同上，以表单提交',
  'Log out after the user was asked': '用户确认后退出登录',
  'Register a client without a user; its secret and its registration token are shown once':
    '无需用户即可注册客户端；其密钥和注册令牌仅显示一次',
  'What a client registered, by its registration token': '凭注册令牌查询客户端的注册信息',
  'Replace what a client registered': '替换客户端的注册信息',
  'Remove a client, with its tokens and consents': '移除客户端及其令牌和授权',
  'What an application asks for, for the consent screen': '应用请求的权限，供授权页面使用',
  'Approve or deny': '同意或拒绝',
  'Answer a request with prompt=none, logged in or not, without asking the user':
    '在不询问用户的情况下应答 prompt=none 的请求，无论是否已登录',
  'The page of a pushed request was opened: the user may now take their time, and log in first':
    '推送的授权请求页面已打开：用户可以从容操作，必要时先登录',
  'Push an authorization request; the browser then comes with its request_uri':
    '推送授权请求；随后浏览器凭 request_uri 访问',
  'Ask for a code that the user of a device types elsewhere': '申请设备代码，由用户在其他设备上输入',
  'What the device with this code asks for, for the page where it is typed':
    '持有此代码的设备请求的权限，供输入代码的页面使用',
  'Let the device with this code in, or not': '允许或拒绝持有此代码的设备',
  'Exchange a code, a device’s code or a token, or refresh': '用授权码、设备代码或令牌换取令牌，或刷新令牌',
  'Revoke an access or refresh token': '吊销访问令牌或刷新令牌',
  'Ask about a token of one’s own': '查询自己的令牌',
  'The user, as far as the scopes reach': '在权限范围内的用户信息',
  'The same, with OpenID Connect; the token in the header here too': '同上，用于 OpenID Connect；令牌同样放在请求头中',
  'Change display name or picture (scope profile)': '修改显示名称或头像（权限 profile）',
  'API tokens of the user, masked (scope tokens:read)': '用户的 API 令牌（已遮盖，权限 tokens:read）',
  'Create an API token for the user; the full key is shown once (scope tokens:write)':
    '为用户创建 API 令牌；完整密钥仅显示一次（权限 tokens:write）',
  'Delete an API token of the user (scope tokens:write)': '删除用户的 API 令牌（权限 tokens:write）',
  'My applications': '我的应用',
  'Register an application; the client secret is shown once': '注册应用；客户端密钥仅显示一次',
  'One of my applications, with the secret its webhooks are signed with': '我的某个应用，包含 Webhook 签名密钥',
  'Change an application': '修改应用',
  'Delete an application, with its tokens and consents': '删除应用及其令牌和授权',
  'Give an application to a team of an organisation that you manage': '将应用交给你所管理组织的某个团队',
  'Draw a new client secret; the old one is invalid at once': '生成新的客户端密钥；旧密钥立即失效',
  'Draw a new secret for signing webhooks': '生成新的 Webhook 签名密钥',
  'Applications I have authorized': '我已授权的应用',
  'Change what an application may spend (scope models:use)': '修改应用的支出上限（权限 models:use）',
  'Take an application’s access away': '撤销应用的访问权限',
  'Keys that sign ID tokens, the newest first': '签发 ID 令牌的密钥，最新的在前',
  'Sign with new keys: as soon as applications can know them, or at once where the old ones leaked':
    '更换签名密钥：待应用能够获知后启用；旧密钥泄露时可立即启用',
  'All applications': '所有应用',
  'Applications that a user has authorized': '某个用户已授权的应用',
  'Verify an application': '将应用标记为已验证',
  'Unverify an application': '取消应用的已验证标记',
  'Suspend an application': '停用应用',
  'Activate an application': '启用应用',
  'Limit the calls with tokens of an application': '限制使用应用令牌的调用次数',
  'The audit log, newest first; format=csv exports at most 10,000 entries':
    '审计日志，最新的在前；format=csv 最多导出 10,000 条',

  'Forget the old keys: what they have signed is valid no more': '弃用旧密钥：由其签名的内容不再有效',
  'To the application, or to a page of ours': '跳转到应用或本服务的页面',
  'Client metadata (RFC 7591 §2); what is not known here is left out':
    '客户端元数据（RFC 7591 §2）；不支持的字段会被忽略',
  'A list of addresses; at least one': '地址列表；至少一个',
  'Shown to users; 1-64 characters': '向用户显示；1-64 个字符',
  '`none`, `client_secret_basic` (the default), `client_secret_post`, `private_key_jwt`':
    '`none`、`client_secret_basic`（默认）、`client_secret_post`、`private_key_jwt`',
  'With `private_key_jwt`: its public keys, as a JSON Web Key Set':
    '使用 `private_key_jwt` 时：公钥，JSON Web Key Set 格式',
  'Or the https address where they are': '或公钥所在的 https 地址',
  'Names with spaces between them': '名称列表，以空格分隔',
  'When it changes what it registered: its own': '修改注册信息时：填写自己的值',
  'When it changes what it registered: its own, or left out': '修改注册信息时：填写自己的值，或省略',
  'Nothing to say': '无内容',
  'With OpenID Connect: who says what it is, `owner`, `document` (at its client id) or `registration`':
    '启用 OpenID Connect 时：应用信息的来源，`owner`、`document`（位于其客户端 ID）或 `registration`',
  'Of that document': '该文档所在的主机',
  'Where the scope models:use is asked for: the limit that the user has set before':
    '请求 models:use 权限时：用户先前设置的上限',
  'With OpenID Connect: what the tokens would be for, where the application says so':
    '启用 OpenID Connect 时：令牌的用途（应用指明时）',
  'Of a server at this address, what the application could use': '此地址的服务器上，应用可以使用的内容',
  'All that it has now or later on; else the tools that the scopes name, and nothing more':
    '现有及以后的全部工具；否则仅限权限中列出的工具',
  'Its first line, as plain text': '首行内容，纯文本',
  'With OpenID Connect: what `prompt` and `max_age` ask of the user before an answer':
    '启用 OpenID Connect 时：应答前 `prompt` 和 `max_age` 对用户的要求',
  'With OpenID Connect: sent along after a new login, shows that it was one':
    '启用 OpenID Connect 时：重新登录后附带，用于证明刚刚登录过',
  'In all, or in each calendar month (UTC)': '总计，或每个自然月（UTC）',
  'Whether it has prompt=none': '是否带有 prompt=none',
  'A JWT that the client has signed (RFC 7523 §2.2)': '由客户端签名的 JWT（RFC 7523 §2.2）',
  'None with an exchanged token': '换取的令牌没有此项',
  'Of an exchanged token (RFC 8693)': '换取的令牌的类型（RFC 8693）',
  'With OpenID Connect, where `openid` was asked for': '启用 OpenID Connect 且请求了 `openid` 时',
  'Of a token that is bound to a key (RFC 9449)': '令牌绑定的密钥（RFC 9449）',
  'Who acts for the user with an exchanged token (RFC 8693 §4.1)': '使用换取的令牌代表用户操作者（RFC 8693 §4.1）',
  'Refuse requests that were not pushed (RFC 9126)': '拒绝未经推送的授权请求（RFC 9126）',
  'Give no tokens without a proof of possession (RFC 9449)': '没有持有证明时不签发令牌（RFC 9449）',
  'Whether redirects carry `iss` (RFC 9207)': '重定向是否带有 `iss`（RFC 9207）',
  'Whether it may exchange tokens for others that act for the user (RFC 8693)':
    '是否可以换取代表用户操作的其他令牌（RFC 8693）',
  'Other clients that may exchange tokens which were issued to this one':
    '可以用签发给此客户端的令牌换取令牌的其他客户端',
  'Public keys (a JSON Web Key Set) by which it proves itself, instead of a secret (RFC 7523)':
    '用于证明身份的公钥（JSON Web Key Set），代替密钥（RFC 7523）',
  'A JSON array, as text': 'JSON 数组，以文本表示',
  'Who says what it is: its `owner`, the `document` at its client id, or itself by `registration`':
    '应用信息的来源：`owner`（所有者）、`document`（位于其客户端 ID 的文档）或 `registration`（自行注册）',
  'How it proves itself; a secret may as well be sent in the body': '证明身份的方式；密钥也可以放在请求体中',
  'In the window so far, in quota units': '本周期至今，以额度单位计',
  'Empty where nobody here registered it': '不是由本服务的用户注册时为空',
  'What to show: the username, or the name of an organisation': '显示的名称：用户名或组织名称',
  'Of the application as it was looked at; 409 when it changed since': '查看时应用的版本；其间有变更则返回 409',
  'Calls an hour; 0 for any number': '每小时调用次数；0 表示不限',
  'The name it had when the user agreed to it': '用户同意授权时应用的名称',
  'From when on it signs': '开始用于签名的时间',
  'From when on it signs no more': '停止用于签名的时间',
  'Of the document that describes it, where nobody here registered it':
    '不是由本服务的用户注册时，描述该应用的文档所在的主机',
  'A request that was sent as a form, with OpenID Connect: for browsers, which are sent to the page with it':
    '以表单发送的请求（启用 OpenID Connect 时）：供浏览器使用，并转到授权页面',
  'To the page': '转到页面',
  'How many API keys it has made for you that are still there': '它为你创建、目前仍存在的 API 密钥数量',
  'What becomes of API keys that it has made for you': '如何处理它为你创建的 API 密钥',
} as const;
