export default {
  'Let users sign in with Google, Microsoft, GitHub or any OpenID Connect provider.':
    '用户可通过这些身份提供商登录：Google、Microsoft、GitHub，或任何支持 OpenID Connect 的提供商。',
  'Connect a provider': '连接身份提供商',
  'No providers yet': '还没有身份提供商',
  'Users sign in with a username and password. Connect a provider to let them use an account they already have.':
    '目前用户使用用户名和密码登录。连接身份提供商后，用户即可使用已有的账号登录。',
  'Who can sign in': '允许登录',
  '{who} with an existing account': '{who}（须已有账号）',
  '{name} is responding': '{name} 响应正常',
  '{name} is not responding correctly: {error}': '{name} 响应异常：{error}',
  'Provider saved': '身份提供商已保存',
  'Delete provider': '删除身份提供商',
  'Provider deleted': '身份提供商已删除',
  'Users who sign in only through this provider and have no password can no longer sign in. Disable it instead to keep connected accounts.':
    '仅通过它登录且没有密码的用户将无法再登录。如果只是停用，已有的关联会保留。',

  'Shown on the sign-in button': '显示在登录按钮上',
  'Short name': '短名称',
  'Used in addresses; cannot be changed later': '用于地址中，创建后不可更改',
  Issuer: '签发者',
  'Stored; leave empty to keep it': '已存储，留空则保持不变',
  'Register this address with the provider': '请在身份提供商处登记此地址',
  'Register a client': '前往注册客户端',
  'Create accounts for users who have none': '没有账号的用户自动创建账号',
  'Trust email addresses as verified': '信任邮箱地址已验证',
  'Enable only if the provider verifies addresses: a false address could give access to another user’s account':
    '仅当身份提供商会验证邮箱时开启：否则可能有人用虚假邮箱登录他人的账号',
  'Email domains': '邮箱域名',
  'Allow only verified email addresses of these domains; empty allows everyone':
    '仅允许拥有这些域名下已验证邮箱的用户；留空则允许所有人',
  'Groups claim': '分组所在的声明',
  'For example groups or realm_access.roles': '例如 groups 或 realm_access.roles',
  'Role mapping': '分组对应的角色',
  'One per line: group = administrator; applied at every sign-in':
    '每行一个，格式为 group = administrator；每次登录时据此确定角色',
  'Assert user identity to MCP servers': '在 MCP 服务器为其用户证明身份',
  'Stores the tokens of each sign-in, encrypted; turning it off deletes them, and everyone must sign in again':
    '为此会加密保存每次登录的令牌；关闭后令牌将被清除，所有人需要重新登录',
  'The provider was not saved': '身份提供商未保存',

  'Use 1 to 32 lower-case letters, digits and hyphens.': '请使用 1 到 32 个小写字母、数字和连字符。',
  'Enter a name.': '请填写名称。',
  'Enter an https address.': '请输入 https 地址。',
  'Replace TENANT-ID with the ID of your directory.': '请将 TENANT-ID 替换为你的目录 ID。',
  'Enter the client ID.': '请填写客户端 ID。',
  'Use one line per group: group = administrator': '每行一个，格式为 group = administrator',
  'Enter the claim that lists the groups.': '请填写列出分组的声明名称。',
} as const;
