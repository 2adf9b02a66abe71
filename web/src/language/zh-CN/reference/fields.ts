/** Fields of accounts, keys, identity providers, usage, channels and models, and what answers hold. */
export default {
  'Fields set by a manager of its organisation, which its holder cannot loosen':
    '由组织的管理者设定、持有人不能放宽的字段',
  'Whether an administrator of the service disabled it; only an administrator can enable it then':
    '是否已被服务管理员停用；停用后只有管理员可以重新启用',
  'The message around the first match of q': 'q 首个匹配处的消息片段',
  'Words to search for': '要搜索的词',
  Success: '成功',
  Error: '错误',
  'Language of emails and pages; defaults to `Accept-Language`': '邮件和页面的语言；不填则按 `Accept-Language`',
  'Language of emails and pages; null if not chosen yet': '邮件和页面的语言；尚未选择时为 null',
  'Whether administrators must have a second factor to do anything': '作为管理员是否必须启用双重验证才能操作',
  "Send it to the account's email address, if the service sends email": '发送到账号的邮箱（服务可以发送邮件时）',
  'Initial balance, in quota units': '初始余额，以额度单位计',
  'If the same request is repeated with this key within 24 hours, the first response is returned again':
    '24 小时内以相同的请求重复时，返回首次的响应',
  'How long a cached answer is reused': '缓存的回答可重复使用多久',
  'Which requests to cache: all that can be cached, or only those with a temperature of 0':
    '对哪些请求生效：所有可缓存的，或仅 temperature 为 0 的',
  'How long the previous secret remains valid; only the most recent previous secret does':
    '先前的密钥值继续可用多久；有两个旧值时仅最近一个可用',
  'With `email_verified`: the address to verify; 409 if it has changed since':
    '与 `email_verified` 一起使用：所指的邮箱；若已变更则返回 409',
  'Time of the last second-factor check': '上次完成双重验证的时间',
  '`next_cursor` of the previous page; `page` is then ignored': '上一页的 `next_cursor`；此时忽略 `page`',
  'An id, or part of a name': 'ID 或名称的一部分',
  'Actions by this user and actions on the account': '此用户的操作，以及对该账号的操作',
  'Part of the address that the provider redirects browsers to. Cannot be changed later.':
    '出现在身份提供商将浏览器送回的地址中。设置后不可更改。',
  'Page of this service to return to': '完成后返回的本服务页面',
  'The browser is redirected to `Location`': '浏览器将被重定向；地址见 `Location`',
  'The account has a second factor, so its password alone cannot connect it': '仅凭密码不能关联',
  'Page the person was going to': '该用户原本要访问的页面',
  'Shown on the button: “Continue with …”': '显示在按钮上：“使用 … 继续”',
  "Address below which the provider's metadata document is read; for GitHub, the address of GitHub":
    '在此地址下读取其元数据文档；对于 GitHub，则为 GitHub 的地址',
  'Stored encrypted and never shown again; empty for a client without one': '加密保存且不再显示；客户端没有密钥时留空',
  'Create an account for people who do not have one': '没有账号的人会自动获得账号',
  "Trust the provider's statement that an email address is verified": '信任其声明的邮箱验证状态',
  'Allow only verified email addresses of these domains; empty allows everyone':
    '仅限这些域名下已验证的邮箱；留空表示不限',
  'Claim that lists groups, or a path to it, such as realm_access.roles':
    '列出用户组的声明，或其路径：realm_access.roles',
  'Group → role (1 user, 10 administrator), applied at every sign-in; empty leaves roles unchanged':
    '用户组 → 角色（1 为用户，10 为管理员），每次登录时重新判定；留空则不改变角色',
  'Whether the provider vouches for its users at MCP servers with `auth: "enterprise"`. The ID token and refresh token of each sign-in are stored encrypted for this, and deleted when it is turned off':
    '在 `auth: "enterprise"` 的 MCP 服务器上为其用户担保。为此会加密保存每次登录的 ID 令牌和刷新令牌；关闭后即清除',
  'Address to register with the provider': '须在身份提供商处登记',
  'Tokens of the last sign-in are stored, so that the provider can vouch for the user at MCP servers':
    '保存了上次登录的凭证，供身份提供商在 MCP 服务器上担保',
  'Whether the service sends email': '服务是否可以发送邮件',
  'Caching of answers to identical requests; null for none': '对相同请求重复使用的缓存回答；null 表示不使用',
  'Cost saved by cached answers': '缓存回答节省的费用',
  'Number of cached answers': '缓存回答的次数',
  'Previous secret, masked, while it is still valid': '先前的密钥值（已遮盖），在其仍可用期间',
  'With `format=csv`, a CSV file': '使用 `format=csv` 时为 CSV 文件',
  'An API key, sk-…': 'API 密钥，sk-…',
  'An OAuth access token, svcat_…': 'OAuth 访问令牌，svcat_…',
  'OAuth client id and secret': 'OAuth 客户端 ID 和密钥',

  'Additional groupings of the same requests, separated by commas': '对同一批请求的其他分组方式，以逗号分隔',
  'One line for each month and user': '每个月份和用户一行',
  '`incomplete`: partly answered; `failed`: not answered; `429`: failed with this status':
    '`incomplete`：部分回答；`failed`：无人应答；`429`：以该状态失败的请求',
  '`created_at` from the list; also finds requests without a stored decision':
    '列表中的 `created_at`；也能找到没有保存路由决策的请求',
  'The service counted the tokens, because the upstream’s numbers could not be used':
    'token 数由本服务计算，因为上游给出的数字不可用',
  'Usage and cost of each part; the costs add up to quota + shortfall':
    '各部分的用量和费用；费用之和等于 quota + shortfall',
  'In quota units; null if unknown': '以额度单位计；未知时为 null',
  'Id of the turn (`svc_ms_meta.request_id`) or run (`execution_id`) that made the request':
    '发起此请求的轮次（`svc_ms_meta.request_id`）或运行（`execution_id`）的 ID',
  'The request used the user’s own key; the cost is only the fee': '使用了用户自有的密钥；费用仅为手续费',
  'Cost that a cached answer for the key saved; it was not charged': '为该密钥缓存的回答原本的费用；实际未收费',
  'Status returned, or that would have been returned if the stream had not started':
    '返回的状态码；若流已开始，则为本应返回的状态码',
  'Error message returned to the caller': '告知调用者的内容',
  'Last provider tried; null if none was': '最后请求的提供商；没有请求过时为 null',
  'How long prompts and answers are stored; 0 if the operator stores none': '提示词和回答保存多久；运营者不保存时为 0',
  'Whether your prompts and answers are stored': '是否保存我的内容',
  '`failed`: not answered. All others were answered; the last three only partly, and name who stopped or caused it':
    '`failed`：无人应答。其余均已应答，其中最后三种为部分应答，并说明由谁中止或因谁出错',
  'Application that made the request': '由应用发起的请求所属的应用',
  'Error returned to the caller if the request was not answered': '无人应答时告知调用者的内容',
  'When the request ended': '结束时间',
  'Id of the turn (`svc_ms_meta.request_id`), run, batch or response that made the request':
    '发起此请求的轮次（`svc_ms_meta.request_id`）、运行、批处理或响应的 ID',
  'Session of the run that this request is or belongs to': '此请求本身或其所属运行的会话',
  'Charges; empty if the request was not answered': '计费明细：无人应答时为空',
  'Providers tried, and why; newest first if there were several models': '请求了谁及其原因；涉及多个模型时最新的在前',
  'Prompt and answer, if the operator and the user allow storing them': '提问和回答的内容（运营者和用户都允许保存时）',
  'Null if the request was not answered': '无人应答时为 null',
  'The content was longer than what is stored': '内容超出保存上限，已截断',
  'Requests made by it, if it is a turn, a run or a batch; at most 10,000 answered and 1,000 failed ones are counted':
    '若为轮次、运行或批处理，则为其过程中的请求；最多统计 10,000 个成功和 1,000 个失败的请求',
  'Error from the last provider tried': '最后请求的提供商返回的内容',
  'Set if the channel has several': '渠道有多个凭据时',
  'The request used the user’s own key': '使用了用户自有的密钥',

  'Prefixes of its keys, if no other vendor uses them': '其密钥的开头，且其他供应商都不这样开头',
  'Last four characters; null if it is too short, absent or unreadable': '最后四个字符；过短、没有或无法读取时为 null',
  'Last four characters; null if it is too short or unreadable': '最后四个字符；过短或无法读取时为 null',
  'Id of a preset, which fills in the models and all fields not given': '预设的 ID：填入未给出的字段和模型',
  'USD per day (UTC), at the prices of the models': '每日（UTC 零点至零点）的美元金额，按模型价格计算',
  'USD per token; "-1" if it depends on the models that a request is passed to':
    '每个 token 的美元价格；取决于请求转交给哪些模型时为 "-1"',
  "True for a key in no team whose owner is in one: no team's budgets and limits apply to it":
    '密钥不属于任何团队而其所有者属于某个团队时为 true：任何团队的预算和限制都不适用于该密钥',
  'Why Redis cannot be used, and what to do; null while it can.': 'Redis 无法使用的原因和处理方法；可用时为 null。',
  'USD per web search run by the vendor; without it, web search is off':
    '供应商每次执行网页搜索的美元价格；未设置时不进行搜索',
  "Web searches run by the model's vendor": '模型供应商执行的网页搜索次数',
  'All prices, including prompt_price, completion_price and request_price':
    '全部价格；prompt_price、completion_price 和 request_price 是其中三项',
  'Model names, separated by commas, in the order in which they are tried': '名称列表，以逗号分隔，按请求的先后顺序',
  'Model with the same name, which takes precedence': '同名的模型，优先于别名',
  'Model that would currently be tried first; null if none is available':
    '当前会首先请求的模型；没有可用的模型时为 null',
  'Null if there is no such model': '没有此模型时为 null',
  'Name that clients request; a model with the same name takes precedence': '客户端请求的名称；同名的模型优先',
  'In the order in which they are tried': '按请求的先后顺序',
  'Models that already had the listed price and now also have prices for each part':
    '原已按列表价格计费、现已补充各部分价格的模型',
  'Its key is the one shown and changed on the channel itself': '其密钥即渠道本身显示和修改的密钥',
  'Null if it is not in use, or is the only one and has no limits; see the channel’s own metrics then':
    '未使用，或仅此一个且没有限制时为 null：此时以渠道自身的指标为准',
  'Circuit breakers of its models, by state': '其各模型的熔断器，按状态',

  'Measure by which series are selected': '按什么指标选取序列',
  'Width of each point': '每个数据点的时长',
  'Name of the user it is filtered by': '所筛选用户的名称',
  'Name of the channel it is filtered by': '所筛选渠道的名称',
  'Answered requests': '已应答的请求数',
  'Requests that were not answered': '无人应答的请求数',
  'Estimated from a histogram; null if no request was answered': '由直方图估算；没有应答时为 null',
  'Id of the user or channel; null for models and for the rest': '用户或渠道的 ID；模型和其余项为 null',
  'Null for the rest and for deleted entries': '其余项和已删除的对象为 null',
  'Whether this is the sum of everything not listed individually': '未单独列出的全部对象',
  'Points with data only': '不含没有数据的时段',
  'Id of the channel or organisation; for an organisation without an owner, id of the user that represents it':
    '渠道或组织的 ID；无人管理的组织为代表它的用户的 ID',
  'If true, the application is stopped as if it were suspended': '此时应用停用，如同被暂停',
  '`next_page` of the previous page': '上一页的 `next_page`',
  'List only these, on one page': '只列出这些，在一页内返回',
  'Files are identified by their names; this value is not stored': '文件按名称识别；此项不会保存',
  'MD5 of the whole file, in hexadecimal or base64': '整个文件的 MD5，十六进制或 base64',
  'Files here do not belong to a session': '此处的文件不属于任何会话',
  'Name of the channel, organisation or queue': '渠道、组织或队列的名称',
  'Number of models, requests or jobs; or the status with which a credential was refused':
    '模型、请求或任务的数量；或凭据被拒绝时的状态码',
  'Share of requests that succeeded, or share of a budget that is used': '成功请求的比例，或预算已使用的比例',
  'Model, level and period of a budget, or last error': '模型、预算的层级和周期，或最近的错误',

  'Fallback models, tried in this order if the previous one fails': '前一个模型没有应答时，按此顺序请求',
  'Empty if only a channel lists the model': '仅由渠道给出该模型时为空',
  'Lowest prices among its providers; null if other models answer at their own prices':
    '各提供商中的最低价格；由其他模型按各自价格应答时为 null',
  'Providers currently skipped because their circuit breakers are open': '当前因熔断而跳过的提供商',
  'Models that an alias or a group stands for': '别名或分组所代表的模型',
  'Health of the providers that would be tried; null if other models answer':
    '将会请求的提供商的健康状况；由其他模型应答时为 null',
  '0 if nothing was measured and the rate is assumed': '0 表示没有测量数据，成功率为假定值',
  'Providers of this model': '提供此模型的提供商',

  'In dollars; empty if payments are not enabled': '以美元计；不支持充值时为空',
  'In dollars': '以美元计',
  'Version that this one is based on; 0 for a new chat': '所基于的版本；新对话为 0',
  'Masked, except in the response that creates it': '已遮盖；仅在生成时的响应中完整显示',
  'Value of each redemption': '每次兑换的金额',
  '1 valid, 2 revoked': '1 有效，2 已停用',
  'Unix seconds; 0 for never': 'Unix 秒；0 表示永不过期',
  'Amount credited to the balance': '计入余额的金额',
  'Amount refunded to the payer that had already been spent': '已退款但额度已被使用的金额',
  'Required unless the session type is `transcription`': '除 `transcription` 类型的会话外必填',
  '`transcription`: the model only transcribes and does not speak': '`transcription`：没有语音回复，只由模型转写为文字',
} as const;
