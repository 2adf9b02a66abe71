/** What administrators do: users, channels, models, routing, requests of everybody. */
export default {
  'Create a link for a user to reset their password, verify their address or accept an invitation; returned in the response or sent by email':
    '为用户生成链接，在响应中返回或通过邮件发送：重置密码、验证邮箱或登录',
  'List the 200 latest pending invitations, newest first': '待接受的邀请，最近 200 条，最新的在前',
  'Create an account, and email or return the link for setting its password':
    '创建账号，并通过邮件发送或在响应中返回供其设置密码的链接',
  'List users': '列出用户',
  'Update a user': '修改用户',
  'Get a user with their sign-in methods and pending invitation': '单个用户、其登录方式和待接受的邀请',
  'Delete a user and all their data': '删除用户及其所有内容',
  'Remove the second factors of a user who lost them': '移除丢失设备的用户的双重验证',
  'List runtime options': '运行时选项',
  'Set a runtime option': '设置运行时选项',
  'List a user’s API keys, masked': '用户的 API 密钥（已遮盖）',
  'List a user’s sessions': '用户的登录会话',
  'End all sessions of a user': '结束用户的所有会话',
  'End one session of a user': '结束用户的某个会话',
  'List the audit log of all users, newest first; format=csv exports at most 10,000 entries':
    '操作记录，最新的在前；format=csv 最多导出 10,000 条',
  'List identity providers': '列出可用于登录的身份提供商',
  'Connect an identity provider: OpenID Connect or GitHub': '连接身份提供商：OpenID Connect 或 GitHub',
  'Get an identity provider': '查看身份提供商',
  'Update an identity provider; omitted fields stay unchanged. Changing the origin requires the secret again':
    '修改身份提供商；未给出的字段保持不变。更换来源时须重新提供密钥',
  'Disconnect an identity provider and all accounts connected through it': '断开身份提供商及所有通过它关联的账号',
  'Fetch the current metadata of an identity provider': '读取身份提供商当前的元数据',
  'Get spend, requests, failures and latency over time, by user, model or channel':
    '支出、请求、失败和延迟随时间的变化，按用户、模型或渠道',
  'List what needs attention now: channels, credentials, budgets, organisations without an active owner, background work':
    '当前需要管理员处理的事项：渠道、凭据、预算、无人管理的组织、后台任务',
  'Get the version, engines, queues and memory of the current process': '当前进程的版本、引擎、队列和内存',
  'Revoke an invitation by the ID of its user; the link stops working and the unused account is closed':
    '按用户 ID 撤回邀请：链接失效，尚未使用的账号随之关闭',

  'List the requests of all users or one user; `format=csv` returns a file':
    '所有用户或某个用户的请求；`format=csv` 返回文件',
  'Get the usage of all users or one user in whole days (UTC) by day, model or API key':
    '所有用户或某个用户的用量汇总，以整日（UTC）计，按日、模型或 API 密钥',
  'List the balance changes of all users or one user': '所有用户或某个用户的余额变动明细',
  'List MCP tool calls per server, tool and user, in whole days, most called first':
    '通过 MCP 的工具调用次数，按服务器、工具和用户统计，以整日计；调用最多的在前',
  'Add credits to a user’s balance, or deduct some': '向用户发放额度，或收回部分额度',
  'Export each user’s usage and credits per month (UTC) for accounting, as CSV':
    '用于记账：每个用户每月（UTC）的用量和获得的额度，CSV 格式',
  'List the failed requests of all users or one user, with the upstream’s response':
    '所有用户或某个用户的失败请求，附上游返回的内容',
  'List all requests of all users or one user, whatever their outcome, with the upstream’s response':
    '所有用户或某个用户的请求，无论结果如何，附上游返回的内容',
  'Get all details of a request, with the upstream’s response': '某个请求的全部信息，附上游返回的内容',

  'List the providers that need only a key to be added': '只需密钥即可添加的提供商',
  'List channels': '列出渠道',
  'Create a channel, custom or from a preset': '添加渠道，自定义或使用预设',
  'Get a channel': '查看渠道',
  'Update a channel; omitted fields stay unchanged, an empty credential is removed. Changing the origin, kind or provider requires the credential again':
    '修改渠道；未给出的字段保持不变，空凭据会被移除。更换来源、类型或提供商时须重新提供凭据',
  'Delete a channel and the models it serves': '删除渠道及其提供的模型',
  'List the credentials of a channel, masked, with the health and limits of each':
    '渠道的凭据（已遮盖），以及各自的健康状况和限制',
  'Add a credential to a channel': '为渠道添加凭据',
  'Update a credential of a channel; omitted fields stay unchanged, null removes a limit':
    '修改渠道的凭据；未给出的字段保持不变，null 取消限制',
  'Remove a credential of a channel; if it was the first, the next one takes its place':
    '移除渠道的凭据；由下一个接替首个凭据',
  'List provider models': '列出提供商模型',
  'Add a model to a channel, with its price': '设置渠道提供的模型及其价格',
  'Update a provider model; omitted fields stay unchanged': '修改提供商模型；未给出的字段保持不变',
  'Delete a provider model': '删除提供商模型',
  'Set the prices of several models of a channel and enable or disable them; either all changes apply or none':
    '批量设置渠道中多个模型的价格并启用或停用，全部成功或全部不变',
  'Preview which model would currently answer for an alias': '预览此别名当前由哪个模型应答',
  'List model aliases and groups': '列出模型的别名和分组',
  'Create an alias for a model, or one name for several models': '为模型设置别名，或让多个模型共用一个名称',
  'Update an alias; omitted fields stay unchanged': '修改别名；未给出的字段保持不变',
  'Delete an alias; its models stay': '删除别名；其模型保留',
  'Test a channel’s credential with a minimal request to the upstream': '用渠道的凭据向上游发送一个极小的请求',
  'Test one credential of a channel with a minimal request to the upstream': '用渠道的某个凭据向上游发送一个极小的请求',
  'Import the models that the upstream lists; models without a known price are disabled':
    '添加上游列出的模型；价格未知的模型暂不启用',

  'Get your routing preferences': '你的路由偏好',
  'Update your routing preferences; omitted fields stay unchanged, null clears a field':
    '修改你的路由偏好；未给出的字段保持不变，null 表示清除',
  'List the models with their own routing configuration': '有单独路由配置的模型',
  'Get the routing configuration of a model': '某个模型的请求如何路由',
  'Set the routing configuration of a model': '配置某个模型的请求如何路由',
  'Reset a model to the default routing': '让模型恢复默认路由',
  'Get the health of the providers: success rate, latency and circuit state of each':
    '提供商的健康状况：各自的成功率、延迟和熔断状态',
  'List routing decisions with their reasons, newest first; administrators see those of all users':
    '请求的去向及原因，最新的在前；管理员可以看到所有用户的请求',
  'List your own provider keys, masked': '你自有的提供商密钥（已遮盖）',
  'Add your own provider key; your requests to the provider use it first':
    '添加自有的提供商密钥：你对该提供商的请求优先使用此密钥',
  'Update one of your own provider keys; omitted fields stay unchanged': '修改自有密钥；未给出的字段保持不变',
  'Remove one of your own provider keys': '移除自有密钥',
  'Test one of your own provider keys with a minimal request': '用自有密钥向提供商发送一个极小的请求',
  'Get a user’s storage usage, in bytes': '用户的存储占用（字节）',
} as const;
