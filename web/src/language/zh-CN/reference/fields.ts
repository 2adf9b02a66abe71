/** Fields of accounts, keys, identity providers, usage, channels and models, and what answers hold. */
export default {
  'The message around the first match of q': 'q 首个匹配处的消息片段',
  'Words to search for': '要搜索的词',
  Success: '成功',
  Error: '错误',
  'Of mails and pages; else as `Accept-Language` says': '邮件和页面的语言；不填则按 `Accept-Language`',
  'Of mails and pages; null while nobody has said': '邮件和页面的语言；尚未选择时为 null',
  'Whether I can do nothing as an administrator without one': '作为管理员是否必须启用双重验证才能操作',
  'To the address of the account, where the service sends mail': '发送到账号的邮箱（服务可以发送邮件时）',
  'The balance to begin with, in quota units': '初始余额，以额度单位计',
  'Repeated within 24 hours with the same request, the first answer is given again':
    '24 小时内以相同的请求重复时，返回首次的响应',
  'How long an answer is given again': '缓存的回答可重复使用多久',
  'Which requests: all that can be, or those with a temperature of 0':
    '对哪些请求生效：所有可缓存的，或仅 temperature 为 0 的',
  'How long the secret of before goes on; of two before only the last does':
    '先前的密钥值继续可用多久；有两个旧值时仅最近一个可用',
  'With `email_verified`: the address that is meant; 409 where it is another by now':
    '与 `email_verified` 一起使用：所指的邮箱；若已变更则返回 409',
  'When it last showed a second factor': '上次完成双重验证的时间',
  '`next_cursor` of the page before; `page` does not count then': '上一页的 `next_cursor`；此时忽略 `page`',
  'An id, or part of a name': 'ID 或名称的一部分',
  'What this user did, and what was done to the account': '此用户的操作，以及对该账号的操作',
  'Stands in the address that the provider sends browsers back to. Stays as it is.':
    '出现在身份提供商将浏览器送回的地址中。设置后不可更改。',
  'A page of ours to end at': '完成后返回的本服务页面',
  'The browser is sent on; `Location` says where': '浏览器将被重定向；地址见 `Location`',
  'Its password alone connects nothing': '仅凭密码不能关联',
  'On the button: “Continue with …”': '显示在按钮上：“使用 … 继续”',
  'Its document is read below this address; for GitHub, where GitHub is':
    '在此地址下读取其元数据文档；对于 GitHub，则为 GitHub 的地址',
  'Stored encrypted and never shown again; empty for a client without one': '加密保存且不再显示；客户端没有密钥时留空',
  'Whoever has no account yet gets one': '没有账号的人会自动获得账号',
  'Believe it when it says that an address is verified': '信任其声明的邮箱验证状态',
  'Only users with a verified address in these domains; empty for everyone': '仅限这些域名下已验证的邮箱；留空表示不限',
  'Claim that lists groups, or a path to it: realm_access.roles': '列出用户组的声明，或其路径：realm_access.roles',
  'Group → role (1 user, 10 administrator), decided anew at every sign-in; empty leaves roles alone':
    '用户组 → 角色（1 为用户，10 为管理员），每次登录时重新判定；留空则不改变角色',
  'Vouches for its people at MCP servers with `auth: "enterprise"`. Of each sign-in its ID token and refresh token are kept for it, sealed; turned off, they are forgotten':
    '在 `auth: "enterprise"` 的 MCP 服务器上为其用户担保。为此会加密保存每次登录的 ID 令牌和刷新令牌；关闭后即清除',
  'To be registered with the provider': '须在身份提供商处登记',
  'Something of the last sign-in is kept, by which the provider vouches at MCP servers':
    '保存了上次登录的凭证，供身份提供商在 MCP 服务器上担保',
  'Whether the service sends mail': '服务是否可以发送邮件',
  'Answers that are given again to the same request; null for none': '对相同请求重复使用的缓存回答；null 表示不使用',
  'What answers that were given again would have cost': '缓存回答节省的费用',
  'How many of them there were': '缓存回答的次数',
  'The secret before, masked, while it counts beside the present one': '先前的密钥值（已遮盖），在其仍可用期间',
  'One JSON document, by room, as a download': '一个 JSON 文档，按类别划分，供下载',
  'An API key, sk-…': 'API 密钥，sk-…',
  'An OAuth access token, svcat_…': 'OAuth 访问令牌，svcat_…',
  'OAuth client id and secret': 'OAuth 客户端 ID 和密钥',

  'Further groupings of the same requests, with commas between them': '对同一批请求的其他分组方式，以逗号分隔',
  'A line for each month and user': '每个月份和用户一行',
  '`incomplete`: answered in part; `failed`: by nobody; `429`: those that failed with it':
    '`incomplete`：部分回答；`failed`：无人应答；`429`：以该状态失败的请求',
  '`created_at` of the list; also finds what no decision is kept of':
    '列表中的 `created_at`；也能找到没有保存路由决策的请求',
  'The tokens were counted by us, since the upstream’s numbers could not be used':
    'token 数由本服务计算，因为上游给出的数字不可用',
  'What was used of each part and what it cost; the costs add up to quota + shortfall':
    '各部分的用量和费用；费用之和等于 quota + shortfall',
  'In quota units; null where it is not known': '以额度单位计；未知时为 null',
  'Of the turn (`svc_ms_meta.request_id`) or run (`execution_id`) that made the request':
    '发起此请求的轮次（`svc_ms_meta.request_id`）或运行（`execution_id`）的 ID',
  'It went out with a key of the user’s own; the cost is the fee alone': '使用了用户自有的密钥；费用仅为手续费',
  'What an answer that was kept for the key would have cost; it cost nothing':
    '为该密钥缓存的回答原本的费用；实际未收费',
  'As it was answered, or would have been had no stream begun': '返回的状态码；若流已开始，则为本应返回的状态码',
  'Response to the caller': '告知调用者的内容',
  'Who was asked last; null when nobody was': '最后请求的提供商；没有请求过时为 null',
  'How long prompts and answers are kept; 0 where the operator keeps none': '提示词和回答保存多久；运营者不保存时为 0',
  'Whether mine are': '是否保存我的内容',
  '`failed`: nobody answered. All others were answered, the last three in part: by whose doing, or whose fault':
    '`failed`：无人应答。其余均已应答，其中最后三种为部分应答，并说明由谁中止或因谁出错',
  'Of what an application asked for': '由应用发起的请求所属的应用',
  'What the caller was told, where nobody answered': '无人应答时告知调用者的内容',
  'When it ended': '结束时间',
  'Of the turn (`svc_ms_meta.request_id`), run, batch or response that made the request':
    '发起此请求的轮次（`svc_ms_meta.request_id`）、运行、批处理或响应的 ID',
  'Session of the run that it is, or is part of': '此请求本身或其所属运行的会话',
  'What was charged: nothing where nobody answered': '计费明细：无人应答时为空',
  'Who was asked and why; newest first where several models were': '请求了谁及其原因；涉及多个模型时最新的在前',
  'What was asked and answered, where the operator and the user let it be kept':
    '提问和回答的内容（运营者和用户都允许保存时）',
  'Null where nobody answered': '无人应答时为 null',
  'There was more than is kept': '内容超出保存上限，已截断',
  'What it asked for in its course, where it is a turn, a run or a batch; at most 10,000 answered and 1,000 failed ones are counted':
    '若为轮次、运行或批处理，则为其过程中的请求；最多统计 10,000 个成功和 1,000 个失败的请求',
  'What the last provider that was asked said': '最后请求的提供商返回的内容',
  'Where the channel has several': '渠道有多个凭据时',
  'It went out with a key of the user’s own': '使用了用户自有的密钥',

  'How its keys begin, where no other vendor’s do': '其密钥的开头，且其他供应商都不这样开头',
  'Last four characters; null when it is short, absent or unreadable': '最后四个字符；过短、没有或无法读取时为 null',
  'Last four characters; null when it is short or unreadable': '最后四个字符；过短或无法读取时为 null',
  'Id of a preset: fills every field not given, and the models': '预设的 ID：填入未给出的字段和模型',
  'USD from midnight to midnight UTC, at the prices of the models': '每日（UTC 零点至零点）的美元金额，按模型价格计算',
  'USD for each search of the web that the vendor runs; without it nothing is searched':
    '供应商每次执行网页搜索的美元价格；未设置时不进行搜索',
  'Searches of the web that the vendor of the model ran': '模型供应商执行的网页搜索次数',
  'All prices; prompt_price, completion_price and request_price are three of them':
    '全部价格；prompt_price、completion_price 和 request_price 是其中三项',
  'Names with commas between them, in the order in which they are asked': '名称列表，以逗号分隔，按请求的先后顺序',
  'A model of the same name, which comes first': '同名的模型，优先于别名',
  'The model that would be asked first now; null when none can be': '当前会首先请求的模型；没有可用的模型时为 null',
  'Null where there is no such model': '没有此模型时为 null',
  'What clients ask for; a model of the same name comes first': '客户端请求的名称；同名的模型优先',
  'In the order in which they are asked': '按请求的先后顺序',
  'Known at the listed price, now also with the prices of their parts': '原已按列表价格计费、现已补充各部分价格的模型',
  'Its key is the one that the channel itself shows and changes': '其密钥即渠道本身显示和修改的密钥',
  'Null for one that is not in use, or is alone and has no limits: then the channel’s own metrics tell':
    '未使用，或仅此一个且没有限制时为 null：此时以渠道自身的指标为准',
  'Of its models, by state': '其各模型的熔断器，按状态',

  'What series are chosen by': '按什么指标选取序列',
  'Of each point': '每个数据点的时长',
  'Name of the user that it is narrowed to': '所筛选用户的名称',
  'Name of the channel that it is narrowed to': '所筛选渠道的名称',
  'That were answered': '已应答的请求数',
  'That nobody answered': '无人应答的请求数',
  'Told from a histogram; null where nothing was answered': '由直方图估算；没有应答时为 null',
  'Of the user or channel; null for models, and for the rest': '用户或渠道的 ID；模型和其余项为 null',
  'Null for the rest, and for what is deleted': '其余项和已删除的对象为 null',
  'All that are not shown one by one': '未单独列出的全部对象',
  'Without those in which nothing was': '不含没有数据的时段',
  'Of the channel or the organisation; of one that was left, of the user that stands for it':
    '渠道或组织的 ID；无人管理的组织为代表它的用户的 ID',
  'Then it stands still, as if it were suspended': '此时应用停用，如同被暂停',
  '`next_page` of the page before': '上一页的 `next_page`',
  'These alone, on one page': '只列出这些，在一页内返回',
  'Files are known by their names; this is not kept': '文件按名称识别；此项不会保存',
  'Of the whole file, in hexadecimal or base64': '整个文件的 MD5，十六进制或 base64',
  'Files here belong to no session': '此处的文件不属于任何会话',
  'Of the channel, the organisation or the queue': '渠道、组织或队列的名称',
  'Models, requests or jobs; the status with which a credential was refused':
    '模型、请求或任务的数量；或凭据被拒绝时的状态码',
  'Of requests that succeeded, or of a budget that is used': '成功请求的比例，或预算已使用的比例',
  'A model, the level and window of a budget, or the last error': '模型、预算的层级和周期，或最近的错误',

  'Asked in this order where the one before does not answer': '前一个模型没有应答时，按此顺序请求',
  'Empty where only a channel names the model': '仅由渠道给出该模型时为空',
  'The lowest among those who serve it; null where other models are asked, at their own prices':
    '各提供商中的最低价格；由其他模型按各自价格应答时为 null',
  'Those of the providers that are passed over now: their circuits are open': '当前因熔断而跳过的提供商',
  'What an alias or a group stands for': '别名或分组所代表的模型',
  'Of those who would be asked; null where other models are': '将会请求的提供商的健康状况；由其他模型应答时为 null',
  '0: nothing was measured, and the rate is assumed': '0 表示没有测量数据，成功率为假定值',
  'Providers of this model': '提供此模型的提供商',

  'In dollars; empty where nothing can be paid': '以美元计；不支持充值时为空',
  'In dollars': '以美元计',
  'The version that this one follows; 0 for a new chat': '所基于的版本；新对话为 0',
  'Masked, but in the answer that makes it': '已遮盖；仅在生成时的响应中完整显示',
  'What each use is worth': '每次兑换的金额',
  '1 good, 2 withdrawn': '1 有效，2 已停用',
  'Unix seconds; 0 never': 'Unix 秒；0 表示永不过期',
  'What the balance has of it': '计入余额的金额',
  'What went back to the payer, and was spent already': '已退款但额度已被使用的金额',
  'Needed but for sessions of the type `transcription`': '除 `transcription` 类型的会话外必填',
  '`transcription`: nothing is said, only written down by the model':
    '`transcription`：没有语音回复，只由模型转写为文字',
} as const;
