/** What administrators do: users, channels, models, routing, requests of everybody. */
export default {
  'A link for a user, answered to be handed over, or mailed: a new password, a verified address, a way in':
    '为用户生成链接，在响应中返回或通过邮件发送：重置密码、验证邮箱或登录',
  'Invitations that are open, the newest 200 first': '待接受的邀请，最近 200 条，最新的在前',
  'Make an account, and mail or answer the link by which its owner chooses a password':
    '创建账号，并通过邮件发送或在响应中返回供其设置密码的链接',
  Users: '用户',
  'Change a user': '修改用户',
  'A user, the ways in that the user has, and the invitation that is open': '单个用户、其登录方式和待接受的邀请',
  'Delete a user and what belongs to it': '删除用户及其所有内容',
  'Remove the second factors of a user who lost them': '移除丢失设备的用户的双重验证',
  'Runtime options': '运行时选项',
  'Set a runtime option': '设置运行时选项',
  'API keys of a user, masked': '用户的 API 密钥（已遮盖）',
  'Where a user is logged in': '用户的登录会话',
  'End every session of a user': '结束用户的所有会话',
  'End one session of a user': '结束用户的某个会话',
  'Who did what, newest first; format=csv exports at most 10,000 entries':
    '操作记录，最新的在前；format=csv 最多导出 10,000 条',
  'List the providers through which people sign in': '列出可用于登录的身份提供商',
  'Connect an identity provider: OpenID Connect, or GitHub': '连接身份提供商：OpenID Connect 或 GitHub',
  'Show an identity provider': '查看身份提供商',
  'Change an identity provider; fields not given stay. Another origin needs the secret again':
    '修改身份提供商；未给出的字段保持不变。更换来源时须重新提供密钥',
  'Disconnect an identity provider, and every account that was connected through it':
    '断开身份提供商及所有通过它关联的账号',
  'Read what the provider says of itself now': '读取身份提供商当前的元数据',
  'Spend, requests, failures and latency over time, by user, model or channel':
    '支出、请求、失败和延迟随时间的变化，按用户、模型或渠道',
  'What needs an administrator now: channels, credentials, budgets, organisations that nobody runs, background work':
    '当前需要管理员处理的事项：渠道、凭据、预算、无人管理的组织、后台任务',
  'Version, engines, queues and memory of the process that answers': '当前进程的版本、引擎、队列和内存',
  'Take an invitation back, by the id of its user: the link ends, and the account that nobody has used is closed':
    '按用户 ID 撤回邀请：链接失效，尚未使用的账号随之关闭',

  'Requests of all users or one; `format=csv` for a file': '所有用户或某个用户的请求；`format=csv` 返回文件',
  'Usage of all users or one added up per day, model or API key': '所有用户或某个用户的用量汇总，按日、模型或 API 密钥',
  'Every change of every balance, or of one user’s': '所有用户或某个用户的余额变动明细',
  'Calls of tools over MCP per server, tool and user, in whole days; the most called first':
    '通过 MCP 的工具调用次数，按服务器、工具和用户统计，以整日计；调用最多的在前',
  'Give credits to a user, or take some back': '向用户发放额度，或收回部分额度',
  'For the books: what each user used and was given in each month (UTC), as CSV':
    '用于记账：每个用户每月（UTC）的用量和获得的额度，CSV 格式',
  'Requests of all users or one that nobody answered, with what the upstream said':
    '所有用户或某个用户的失败请求，附上游返回的内容',
  'Requests of all users or one, whatever became of them, with what the upstream said':
    '所有用户或某个用户的请求，无论结果如何，附上游返回的内容',
  'Everything that is known of a request, with what the upstream said': '某个请求的全部信息，附上游返回的内容',

  'Providers that can be added with nothing but a key': '只需密钥即可添加的提供商',
  'List channels': '列出渠道',
  'Add a channel, of one’s own or from a preset': '添加渠道，自定义或使用预设',
  'Show a channel': '查看渠道',
  'Change a channel; fields not given stay, an empty credential is removed. Another origin, kind or provider needs the credential again':
    '修改渠道；未给出的字段保持不变，空凭据会被移除。更换来源、类型或提供商时须重新提供凭据',
  'Delete a channel and the models it serves': '删除渠道及其提供的模型',
  'The credentials of a channel, masked, with the health and limits of each':
    '渠道的凭据（已遮盖），以及各自的健康状况和限制',
  'Give a channel one more credential': '为渠道添加凭据',
  'Change a credential of a channel; fields not given stay, null lifts a limit':
    '修改渠道的凭据；未给出的字段保持不变，null 取消限制',
  'Remove a credential of a channel; the next takes the place of the first': '移除渠道的凭据；由下一个接替首个凭据',
  'List provider models': '列出提供商模型',
  'Say that a channel serves a model, and at what price': '设置渠道提供的模型及其价格',
  'Change a provider model; fields not given stay': '修改提供商模型；未给出的字段保持不变',
  'Delete a provider model': '删除提供商模型',
  'Set prices of several models of a channel and switch them on or off, all or none':
    '批量设置渠道中多个模型的价格并启用或停用，全部成功或全部不变',
  'Which model would answer to such an alias now': '预览此别名当前由哪个模型应答',
  'List aliases and groups of models': '列出模型的别名和分组',
  'Give a model another name, or several models one name': '为模型设置别名，或让多个模型共用一个名称',
  'Change an alias; fields not given stay': '修改别名；未给出的字段保持不变',
  'Delete an alias; its models stay': '删除别名；其模型保留',
  'Ask the upstream something tiny with the channel’s credential': '用渠道的凭据向上游发送一个极小的请求',
  'Ask the upstream something tiny with one credential of the channel': '用渠道的某个凭据向上游发送一个极小的请求',
  'Add the models that the upstream lists; those without a known price wait disabled':
    '添加上游列出的模型；价格未知的模型暂不启用',

  'Your routing preferences': '你的路由偏好',
  'Change your routing preferences; absent members stay, null clears':
    '修改你的路由偏好；未给出的字段保持不变，null 表示清除',
  'Models with a routing configuration of their own': '有单独路由配置的模型',
  'How requests for a model are routed': '某个模型的请求如何路由',
  'Configure how requests for a model are routed': '配置某个模型的请求如何路由',
  'Return a model to the default routing': '让模型恢复默认路由',
  'Health of the providers: success, latency and circuit of each': '提供商的健康状况：各自的成功率、延迟和熔断状态',
  'Where requests went and why, newest first; administrators see those of all users':
    '请求的去向及原因，最新的在前；管理员可以看到所有用户的请求',
  'Keys of your own for providers, masked': '你自有的提供商密钥（已遮盖）',
  'Bring a key of your own for a provider: your requests to it go out with that key first':
    '添加自有的提供商密钥：你对该提供商的请求优先使用此密钥',
  'Change a key of your own; fields not given stay': '修改自有密钥；未给出的字段保持不变',
  'Remove a key of your own': '移除自有密钥',
  'Ask the provider something tiny with a key of your own': '用自有密钥向提供商发送一个极小的请求',
  'What a user keeps here, in bytes': '用户的存储占用（字节）',
} as const;
