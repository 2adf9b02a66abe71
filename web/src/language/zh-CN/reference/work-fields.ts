/** Fields of tools, knowledge, runs, files and videos. */
export default {
  'Sent with every request to the server; stored encrypted and never shown again':
    '随每次请求发送给服务器；加密保存且不再显示',
  'For one call, connecting included': '单次调用的时限，含连接时间',
  'Who may use its tools; `users`: those in user_ids': '谁可以使用其工具；`users`：user_ids 中的用户',
  '`headers` open it; each user signs in to it (`oauth`), see `/api/mcp/servers/{id}/authorize`; the company’s identity provider vouches for each user (`enterprise`); or the service signs in for itself and for all who may use it, as a client (`client_credentials`) or with a token of its platform (`jwt_bearer`)':
    '用请求头访问（`headers`）；由每个用户登录（`oauth`），见 `/api/mcp/servers/{id}/authorize`；由公司的身份提供商为每个用户担保（`enterprise`）；或由本服务为自身和所有可用者登录，作为客户端（`client_credentials`）或使用其平台的令牌（`jwt_bearer`）',
  'Of a client that was registered by hand with its authorization server; `client_credentials` and `enterprise` need one, `jwt_bearer` may have one, `oauth` where nobody registers themselves. Empty takes it away, its secret and key with it':
    '在其授权服务器上手动注册的客户端的 ID；`client_credentials` 和 `enterprise` 必填，`jwt_bearer` 可选，`oauth` 在不支持自动注册时填写。留空则移除客户端及其密钥和私钥',
  'Of that client; stored encrypted and never shown again, empty for one without':
    '该客户端的密钥；加密保存且不再显示，没有时留空',
  'Of that client, in place of a secret: a private key, PEM or JSON Web Key, that signs who it is (`private_key_jwt`); stored encrypted and never shown again, empty for one without':
    '该客户端的私钥，代替密钥：PEM 或 JSON Web Key 格式，用于签名证明身份（`private_key_jwt`）；加密保存且不再显示，没有时留空',
  'Of the operator’s servers with `jwt_bearer`: the file in `MCP_ASSERTIONS_DIR` in which the platform keeps the token that is traded in':
    '用于运营者的 `jwt_bearer` 服务器：`MCP_ASSERTIONS_DIR` 中由平台保存待换取令牌的文件',
  'Of an organisation’s server with `oauth`: each member signs in, or one who runs it signs in for keys of its teams and for all who have not (`shared`), see `/api/mcp/servers/{id}/shared-sign-in`':
    '用于组织的 `oauth` 服务器：每个成员各自登录，或由一位管理者代表团队密钥和所有未登录者登录（`shared`），见 `/api/mcp/servers/{id}/shared-sign-in`',
  'Null for somebody who is gone': '该用户已不存在时为 null',
  'Who signed in to it for the organisation; null where nobody has': '代表组织登录的人；无人登录时为 null',
  'Of the operator’s servers with `enterprise`: the identity provider that vouches for users, by its `slug`':
    '用于运营者的 `enterprise` 服务器：为用户担保的身份提供商的 `slug`',
  'Calls of its tools in a minute, of all users together; 0 for no limit':
    '每分钟工具调用次数，所有用户合计；0 表示不限',
  'What is passed on at `/mcp/name` besides tools; nothing by default': '在 `/mcp/name` 除工具外还转发的内容；默认没有',
  'Begins the names of its tools: `name__tool`; it is served at `/mcp/name`. Stays as it is.':
    '其工具名称的前缀：`name__tool`；服务地址为 `/mcp/name`。设置后不可更改。',
  'The server lists more than is read': '服务器列出的内容超出读取上限',
  'All that are allowed; a tool that is not among them is not': '全部允许的工具；未列出的工具不允许',
  'Of the description and schema that are approved, as a test shows it': '所批准的说明和结构的指纹，见测试结果',
  'A person is asked before each call': '每次调用前须询问',
  'Of each call, in quota units; stays as it is when absent': '每次调用的价格，以额度单位计；不填则保持不变',
  'Of the definition that is approved, as a test shows it': '所批准的定义的指纹，见测试结果',
  'A person is asked before each call; stays as it is when absent': '每次调用前须询问；不填则保持不变',
  'On to the page of tools': '跳转到工具页面',
  'A JSON-RPC message; several in revision 2025-03-26': 'JSON-RPC 消息；2025-03-26 版本可包含多条',
  'The answer, or events that end with it': '响应，或以响应结尾的事件流',
  'Taken; there is nothing to answer': '已接收；无需应答',
  'Messages as they come': '实时消息',
  'Of all of them together': '全部工具合并的地址',
  'API keys open these addresses': '这些地址可以使用 API 密钥访问',
  'You may connect servers': '你可以连接服务器',
  'As the tool gave it': '工具返回的原始结果',
  'The user whose it is, who stands for the organisation of an organisation’s; null for the operator’s':
    '所属用户；组织的服务器为代表该组织的用户；运营者的服务器为 null',
  'Of the organisation or the user': '组织或用户的 ID',
  'Of a call with a key of a team: whose it is. Owners and administrators answer':
    '使用团队密钥的调用所属的组织，由其所有者和管理员答复',
  'For whose members it is; null for yours and the operator’s': '供哪个组织的成员使用；您自己的和运营者的为 null',
  'Of this organisation alone': '仅此组织的',
  'For all who are in this organisation, which you run: its name is then `name_id`, such as `files_12`, and nobody else’s':
    '供您所管理的此组织全体成员使用：其名称为 `name_id`，例如 `files_12`，不与他人重名',
  'What sessions opened with the secret begin with, as in `session.update`':
    '用此密钥打开的会话的初始设置，与 `session.update` 相同',
  'The model, as clients of Azure name it': '模型，按 Azure 客户端的名称',
  'A WebSocket': 'WebSocket 连接',
  'Empty where the service registers itself': '由本服务自动注册时为空',
  '`changed`: not offered until approved again; `missing`: allowed, and listed no more':
    '`changed`：重新批准前不提供；`missing`：已允许，但服务器不再列出',
  'Title, annotations and the schema of results, as far as there are any': '标题、注解和结果的结构（如有）',
  'Why it cannot be allowed': '不能允许的原因',
  'What is allowed, as it was approved': '批准时的内容',
  'What is not as it was approved; empty unless the state is `changed`': '与批准时不同之处；状态不是 `changed` 时为空',
  'Null for this service itself': '本服务自身为 null',
  'Where agents reach it': '供智能体访问的地址',
  'Yours to change, under `/api/mcp/servers/{id}`': '你可以通过 `/api/mcp/servers/{id}` 修改',
  'Connected by you, only for you': '由你连接，仅供你使用',
  'Null where nobody has to sign in': '无需登录时为 null',
  'With `enterprise`: the provider to sign in to this service through, which vouches for you there':
    '使用 `enterprise` 时：登录本服务所用的身份提供商，由它为你担保',
  'Those that are allowed, as they were approved': '已允许的工具，以批准时的内容为准',
  'Of each call, in quota units; 0 for none': '每次调用的价格，以额度单位计；0 表示免费',
  'Null for a user who is gone': '用户已删除时为 null',
  'Of how many of the newest calls the fields below are told': '以下字段基于最近多少次调用',

  'The image': '图像',
  'The sound, in the format that was asked for': '音频，采用请求的格式',
  'The bytes as they were uploaded or made': '上传或生成的原始字节',
  'One JSON object on each line': '每行一个 JSON 对象',
  'The video, in the media type of its provider.': '视频，采用提供商的媒体类型。',

  'What became of each entry, in the order sent': '各条目的处理结果，按提交顺序',
  'What became of each file, in the order sent; those accepted are read in the background':
    '各文件的处理结果，按提交顺序；已接受的文件在后台读取',
  'Why it could not be imported, and what to do about it': '不能导入的原因及解决办法',
  'Passages that can be found by now': '目前可以搜索到的段落数',
  'Passages of the whole file, once it is read': '整个文件的段落数，读取完成后给出',
  'Bytes of the file': '文件的字节数',
  'Of what was learned from a conversation: the words it comes from': '从对话中学到的知识：所依据的原话',
  'Id of the message that holds the quote': '包含该原话的消息 ID',
  'Of what was imported: the file, and where in it this passage stands': '导入的知识：来源文件及该段落在其中的位置',

  'Tools of connected servers that tasks may use, by name; true for all that the user may use':
    '任务可以使用的已连接服务器的工具，按名称；true 表示用户可用的全部工具',
  'Dollars: no model call begins once the run has cost this much; null for no limit':
    '以美元计：运行费用达到此值后不再发起模型调用；null 表示不限',
  'Tools of yours that tasks may call, in the shape of chat completions: the run waits for their outputs':
    '任务可以调用的你的工具，采用对话补全的格式：运行会等待其结果',
  'Which calls of tools wait for a person: none, those of tools that the operator marked, or all':
    '哪些工具调用须等待人工批准：无、运营者标记的工具，或全部',
  'Applies to everything from here on and takes precedence over the goal': '对此后的一切生效，优先于目标',
  'The whole plan from here on, as the status shows it: what is not named is dropped':
    '此后的完整计划，格式与状态中所示相同：未列出的任务会被放弃',
  'What came of pending_tool_calls; of each the first 64 KiB are told to the model':
    'pending_tool_calls 的结果；每个结果的前 64 KiB 会告知模型',
  'One of pending_approvals': 'pending_approvals 中的一项',
  'Told to the model with a refusal': '拒绝时告知模型的说明',
  'Server-sent events; ends after the last one': '服务器推送事件；最后一个事件后结束',
  'Finds every call of the run in `/api/usage/logs` and `/api/routing/decisions`':
    '可用于在 `/api/usage/logs` 和 `/api/routing/decisions` 中查找运行的每次调用',
  'The newest first': '最新的在前',
  'Null on later pages': '后续页面为 null',
  'Of all model calls together; those at the same time count each': '所有模型调用的时长之和；同时进行的分别计入',
  '`task_id` null: what no single task has caused': '`task_id` 为 null：不属于任何单个任务',
  'False when there are more calls than are added up': '调用次数超出统计上限时为 false',
  USD: '美元',
  'Where it is at rest, for resume': '暂停时的检查点，用于继续',
  'What was finished before it came to rest': '暂停前已完成的部分',
  'Titles of the tasks that are not done': '未完成任务的标题',
  'Calls of tools of yours: bring what came of them by tool-results': '对你的工具的调用：通过 tool-results 提交结果',
  'JSON, as the model wrote it': '模型写出的 JSON',
  'Calls that are made only when somebody allows them: answer each by approve':
    '须经允许才会执行的调用：通过 approve 逐个答复',
  'In what it falls short of the goal, in words': '与目标的差距，文字说明',
  'In dollars, of the calls that have ended': '已结束的调用的费用，以美元计',
  'The same in quota units': '同上，以额度单位计',
  'Unix seconds: when a model answered; when anything else happened': 'Unix 秒：模型应答或其他事件发生的时间',
  'What a model was asked for, the name of a tool, the event of a decision, or why it came to rest':
    '模型的用途、工具的名称、决策的事件，或暂停的原因',
  'Of the task, as the plan now has it': '任务的标题，以当前计划为准',
  'In words; for calls of tools the arguments': '文字说明；工具调用则为参数',
  'Of a tool: the beginning of what the model was told': '工具的输出：告知模型的内容的开头',
  'How a call ended; `open` while it has not': '调用的结果；未结束时为 `open`',
  'Of a model call, in usage and routing decisions': '模型调用的请求 ID，见用量和路由决策',
} as const;
