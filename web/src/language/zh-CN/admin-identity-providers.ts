export default {
  'Providers through which people sign in: Google, Microsoft, GitHub, or any that speaks OpenID Connect.':
    '用户可通过这些身份提供商登录：Google、Microsoft、GitHub，或任何支持 OpenID Connect 的提供商。',
  'Connect a provider': '连接身份提供商',
  'No providers yet': '还没有身份提供商',
  'People sign in with a username and password. Connect a provider, and they can use the account they have.':
    '目前用户使用用户名和密码登录。连接身份提供商后，用户即可使用已有的账号登录。',
  'Lets in': '允许登录',
  '{who}, with an account': '{who}（须已有账号）',
  '{name} answers': '{name} 响应正常',
  '{name} does not answer as it should: {error}': '{name} 响应异常：{error}',
  'Provider saved': '身份提供商已保存',
  'Delete provider': '删除身份提供商',
  'Provider deleted': '身份提供商已删除',
  'Whoever signs in through it alone, without a password, can no longer get in. Disabling it keeps what is connected.':
    '仅通过它登录且没有密码的用户将无法再登录。如果只是停用，已有的关联会保留。',

  'On the button': '显示在登录按钮上',
  'Short name': '短名称',
  'In addresses, and stays': '用于地址中，创建后不可更改',
  Issuer: '签发者',
  'Stored; empty keeps it': '已存储，留空则保持不变',
  'Register it with the provider': '请在身份提供商处登记此地址',
  'Where clients are registered': '前往注册客户端',
  'Whoever has no account gets one': '没有账号的用户自动创建账号',
  'Believe that addresses are verified': '信任邮箱地址已验证',
  'Only where the provider checks them: a false one could ask for the account of somebody else':
    '仅当身份提供商会验证邮箱时开启：否则可能有人用虚假邮箱登录他人的账号',
  'Email domains': '邮箱域名',
  'Allow only verified email addresses of these domains; empty allows everyone':
    '仅允许拥有这些域名下已验证邮箱的用户；留空则允许所有人',
  'Claim with groups': '分组所在的声明',
  'Such as groups, or realm_access.roles': '例如 groups 或 realm_access.roles',
  'Roles of groups': '分组对应的角色',
  'group = administrator, a line each; decides at every sign-in':
    '每行一个，格式为 group = administrator；每次登录时据此确定角色',
  'Vouches for its people at MCP servers': '在 MCP 服务器为其用户证明身份',
  'Of each sign-in its tokens are kept for that, encrypted; turned off, they are forgotten and everybody signs in again':
    '为此会加密保存每次登录的令牌；关闭后令牌将被清除，所有人需要重新登录',
  'The provider was not saved': '身份提供商未保存',

  'Use 1 to 32 lower-case letters, digits and hyphens.': '请使用 1 到 32 个小写字母、数字和连字符。',
  'A name is needed.': '请填写名称。',
  'An https address.': '请输入 https 地址。',
  'Put the id of your directory in place of TENANT-ID.': '请将 TENANT-ID 替换为你的目录 ID。',
  'The id of the client is needed.': '请填写客户端 ID。',
  'A line each: group = administrator': '每行一个，格式为 group = administrator',
  'Name the claim that lists the groups.': '请填写列出分组的声明名称。',
} as const;
