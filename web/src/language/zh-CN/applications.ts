export default {
  'Copy client ID of {name}': '复制 {name} 的客户端 ID',
  'OAuth applications you own. People sign in to them with their account on this service.':
    '你拥有的 OAuth 应用：用户可使用本服务的账号登录这些应用。',
  'Your applications': '你的应用',
  'No applications yet': '还没有应用',
  'Register an application to get a client ID and let people sign in to it with OAuth 2.0.':
    '注册应用以获取客户端 ID，让用户通过 OAuth 2.0 登录。',
  'Choose a team, or no organisation.': '请选择一个团队，或不选择组织。',
  '{name} is registered': '{name} 已注册',
  'Let people sign in to your product with their account on this service.': '让用户使用本服务的账号登录你开发的产品。',
  'Register application': '注册应用',
  'Your client secret': '你的客户端密钥',

  'Runs on a server that can keep a secret or a key.': '运行在能够保管密钥的服务器上。',
  'Runs in the browser, on a phone or in a terminal. Has no secret and must use PKCE.':
    '运行在浏览器、手机或终端中，没有密钥，必须使用 PKCE。',
  '{label}. {detail}': '{label}。{detail}',
  'Client authentication': '如何证明身份',
  'Text that your server sends with each request': '由你的服务器随请求发送的一段文本',
  'Keys entered here': '在此填写公钥',
  'Your server signs with its own private key (private_key_jwt); no secret is sent':
    '你的服务器用自己的私钥签名（private_key_jwt），不发送任何机密',
  'Keys at an address': '通过地址提供公钥',
  'The same, but the public keys are read from your server, where you can change them':
    '同上，但公钥从你的服务器读取，可在那里更换',
  'Public keys': '公钥',
  'A JSON Web Key Set of signing keys: EC, RSA or Ed25519. Never enter private keys. While you rotate keys, enter both the old and the new one.':
    '一个 JSON Web Key Set，密钥用于签名：EC、RSA 或 Ed25519。私钥请自行保管。更换密钥期间请同时填写新旧两个公钥。',
  'Public key address': '公钥地址',
  'An https address that returns a JSON Web Key Set without redirects':
    '返回 JSON Web Key Set 的 https 地址，不支持重定向',
  'Paste a JSON Web Key Set, an object with a list called keys.': '请粘贴 JSON Web Key Set，即带有 keys 列表的对象。',
  'All scopes the application may request. Users see each one before they agree, so choose only what you need.':
    '应用最多可申请的权限。用户同意前会逐项看到，请只选择需要的。',
  'Shown to users when they are asked for access': '请求授权时向用户显示',
  'What the application does, in one or two sentences': '用一两句话说明应用的用途',
  Homepage: '主页',
  Logo: '图标',
  'Optional. Notified when a user grants or revokes access; every call is signed.':
    '可选。用户授权或撤销授权时会收到通知，每次调用都带有签名。',
  'The application was not saved': '应用未保存',
  'Some fields need to be corrected.': '部分字段需要修改。',
  'Where users return with a code; must match exactly. Use https, http on localhost (any port), or your app’s own scheme.':
    '用户携带授权码返回的地址，须完全一致。支持 https、localhost 上的 http（任意端口），或你的应用自有的 scheme。',
  'Redirect address {number}': '重定向地址 {number}',
  'Remove redirect address {number}': '移除重定向地址 {number}',
  'Add another': '再添加一个',
  'Enter an address, or remove the line.': '请输入地址，或移除这一行。',
  'Use at most 2,000 characters.': '最多 2,000 个字符。',
  'Addresses cannot contain spaces or backslashes.': '地址不能包含空格或反斜杠。',
  'Remove the # and everything after it.': '请去掉 # 及其后面的部分。',
  'Wildcards are not supported. Register each address in full.': '不支持通配符，请逐个填写完整地址。',
  'Enter a full address such as https://app.example/callback.': '请输入完整地址，例如 https://app.example/callback。',
  '{protocol} addresses are not supported.': '不支持 {protocol} 地址。',
  'Remove the user name and password.': '请去掉地址中的用户名和密码。',
  'Use https; http is allowed for localhost only.': '请使用 https，http 仅限 localhost。',
  'Enter an address that starts with https://.': '请输入以 https:// 开头的地址。',
  'At most 64 characters.': '最多 64 个字符。',
  'At most 500 characters.': '最多 500 个字符。',

  'ID tokens are turned off': '尚未启用 ID 令牌',
  'OpenID Connect libraries request the openid scope and expect an ID token. Turn this on with the option OAuth2OpenIDConnect.':
    '通过 OpenID Connect 登录的程序库会申请 openid 权限范围，并要求返回 ID 令牌。可通过选项 OAuth2OpenIDConnect 启用。',
  'Require pushed authorization requests': '仅接受推送的授权请求',
  'Your server submits the request first (RFC 9126); browsers carry only a reference to it':
    '授权请求先由你的服务器提交（RFC 9126），浏览器只携带其标识',
  'Require key-bound tokens': '仅签发绑定密钥的令牌',
  'No tokens without a DPoP proof (RFC 9449); a stolen token cannot be used without the key':
    '没有 DPoP 证明就不签发令牌（RFC 9449）：令牌即使被盗，没有密钥也无法使用',
  'Include the issuer in redirects': '重定向时附带签发者',
  'Turn off only for libraries that reject an unexpected iss parameter':
    '仅当程序库拒绝接受未预期的 iss 参数时才需关闭',
  'Allow token exchange': '允许交换令牌',
  'For agents: exchange a user’s token for one of its own with no extra permissions (RFC 8693)':
    '供智能体使用：以用户的令牌换取自己的令牌，且权限不会扩大（RFC 8693）',
  'Redirect addresses after logout': '退出登录后的跳转地址',
  'One per line; must match exactly': '每行一个，须完全一致',
  'Logout address': '退出通知地址',
  'Optional. Receives a signed token when a user’s session on this service ends (back-channel logout).':
    '可选。用户在本服务的登录会话结束时，会收到带签名的令牌通知（后端通道退出）。',
  'ID token signature': 'ID 令牌的签名算法',
  'Clients that can act for it': '可代表本应用的客户端',
  'Client IDs, one per line, that can exchange tokens users granted to this application':
    '填写客户端 ID，每行一个；这些客户端可以交换用户授予本应用的令牌',

  'Your application': '你的应用',
  'Preview consent screen': '预览授权页面',
  'Consent screen preview': '用户看到的授权请求',
  'This is a preview; either button closes it.': '仅为预览，点击任一按钮即可关闭。',

  'A public client has no secret. It uses PKCE instead.': '公开客户端没有密钥，通过 PKCE 证明身份。',
  'This application has no secret; it authenticates with signatures of its private keys. The public keys are under Settings.':
    '此应用没有客户端密钥，通过其私钥的签名证明身份。公钥见“设置”。',
  'The secret was shown once, when it was created. If it is lost or may have leaked, rotate it.':
    '密钥只在创建时显示一次。如果遗失或可能已泄露，请轮换新的密钥。',
  'Rotate client secret': '轮换客户端密钥',
  'Rotate the client secret?': '轮换客户端密钥？',
  'The old secret stops working immediately. Programs that use it cannot sign anyone in until they have the new one.':
    '旧密钥会立即失效：使用它的程序在换成新密钥之前无法让用户登录。',
  'New client secret': '新的客户端密钥',
  'Used to create X-Svc-Signature: t=<time>,v1=<HMAC-SHA256 of “time.body”>':
    '用于生成 X-Svc-Signature：t=<时间>,v1=<“时间.正文”的 HMAC-SHA256>',
  'Rotate webhook secret': '轮换 Webhook 密钥',
  'Rotate the webhook secret?': '轮换 Webhook 密钥？',
  'Calls are signed with the new secret from now on. Receivers that still verify with the old one will reject them.':
    '此后的调用将使用新密钥签名；仍用旧密钥校验的接收方会拒绝这些调用。',
  'An administrator has suspended this application. Nobody can sign in with it, and its tokens are rejected.':
    '管理员已暂停此应用。任何人都无法通过它登录，其令牌也会被拒绝。',

  'The verification will be withdrawn': '验证标识将被撤回',
  'An administrator verified the current version of this application. After you save, users see it as not verified until an administrator reviews it again.':
    '管理员验证的是此应用的当前内容。保存后，在管理员重新审核之前，用户看到的将是未验证状态。',
  'The client secret will stop working': '客户端密钥将失效',
  'A public client has no secret; it must send a PKCE challenge instead.':
    '公开客户端没有密钥，必须改为发送 PKCE challenge。',
  'After saving, rotate the client secret above to get the first one.':
    '保存后，请在上方轮换客户端密钥以获取首个密钥。',
  'An application with keys has no secret; it signs with its private keys instead.':
    '使用密钥对的应用没有客户端密钥，改用私钥签名。',
  'Application saved': '应用已保存',
  'Changes take effect immediately, also for codes that are issued but not yet used.':
    '更改立即生效，对已签发但尚未使用的授权码同样有效。',
  '{name} now belongs to the team': '{name} 已归团队所有',
  'Transfer to a team': '转交给团队',
  'It stays when you leave. Owners and admins of the organisation manage it on the organisation’s page.':
    '你离开后应用仍会保留，由组织的所有者和管理员在组织页面管理。',
  'Transfer to team': '转交',
  'Ends all sign-ins made with this application, for all its users.': '所有用户通过此应用的登录都将失效。',
  'Delete application': '删除应用',
  'Its tokens and its users’ permissions are deleted too. Its client ID is never reused.':
    '其令牌和用户授权也会一并删除，客户端 ID 不会再次启用。',
  'The application could not be opened': '无法打开应用',

  'Quick start': '快速开始',
  'Sign a user in from your own code.': '在你的代码中实现用户登录。',
  'Open the consent screen as your users will see it.': '打开用户将看到的授权页面。',
  'With PKCE your program generates a random <b>verifier</b> and keeps it. Only its hash, the <b>challenge</b>, passes through the browser, so a stolen code cannot be used without the verifier.':
    '使用 PKCE 时，你的程序会生成一个随机的 <b>verifier</b> 并自行保存。经过浏览器的只有它的哈希值 <b>challenge</b>，因此授权码即使被盗，没有 verifier 也无法使用。',
  'Return to': '返回地址',
  'Consent screen': '授权页面',
  Verifier: 'Verifier',
  'Send it as code_verifier when you exchange the returned code': '用返回的授权码换取令牌时，作为 code_verifier 发送',
} as const;
