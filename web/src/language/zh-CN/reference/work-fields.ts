/** Fields of tools, knowledge, runs, files and videos. */
export default {
  'Sent with every request to the server; stored encrypted and never shown again':
    '随每次请求发送给服务器；加密保存且不再显示',
  'Timeout per call, including connecting': '单次调用的时限，含连接时间',
  'Who may use its tools; `users`: those in user_ids': '谁可以使用其工具；`users`：user_ids 中的用户',
  'How calls are authenticated. `headers`: with the headers above. `oauth`: each user signs in, see `/api/mcp/servers/{id}/authorize`. `enterprise`: the company’s identity provider vouches for each user. `client_credentials` or `jwt_bearer`: the service signs in once for itself and everyone who may use the server, as a client or with a token of its platform':
    '用请求头访问（`headers`）；由每个用户登录（`oauth`），见 `/api/mcp/servers/{id}/authorize`；由公司的身份提供商为每个用户担保（`enterprise`）；或由本服务为自身和所有可用者登录，作为客户端（`client_credentials`）或使用其平台的令牌（`jwt_bearer`）',
  'ID of a client registered manually with the server’s authorization server; required for `client_credentials` and `enterprise`, optional for `jwt_bearer`, and needed for `oauth` if clients cannot register themselves. An empty value removes the client with its secret and key':
    '在其授权服务器上手动注册的客户端的 ID；`client_credentials` 和 `enterprise` 必填，`jwt_bearer` 可选，`oauth` 在不支持自动注册时填写。留空则移除客户端及其密钥和私钥',
  'Secret of that client; stored encrypted and never shown again, empty if it has none':
    '该客户端的密钥；加密保存且不再显示，没有时留空',
  'Private key of that client instead of a secret, as PEM or JSON Web Key, for `private_key_jwt`; stored encrypted and never shown again, empty if it has none':
    '该客户端的私钥，代替密钥：PEM 或 JSON Web Key 格式，用于签名证明身份（`private_key_jwt`）；加密保存且不再显示，没有时留空',
  'For the operator’s servers with `jwt_bearer`: file in `MCP_ASSERTIONS_DIR` where the platform stores the token to exchange':
    '用于运营者的 `jwt_bearer` 服务器：`MCP_ASSERTIONS_DIR` 中由平台保存待换取令牌的文件',
  'For an organisation’s server with `oauth`: each member signs in, or a manager signs in for team keys and for all members who have not (`shared`), see `/api/mcp/servers/{id}/shared-sign-in`':
    '用于组织的 `oauth` 服务器：每个成员各自登录，或由一位管理者代表团队密钥和所有未登录者登录（`shared`），见 `/api/mcp/servers/{id}/shared-sign-in`',
  'Who signed in for the organisation; null if no one has': '代表组织登录的人；无人登录时为 null',
  'For the operator’s servers with `enterprise`: `slug` of the identity provider that vouches for users':
    '用于运营者的 `enterprise` 服务器：为用户担保的身份提供商的 `slug`',
  'Maximum tool calls per minute across all users; 0 for no limit': '每分钟工具调用次数，所有用户合计；0 表示不限',
  'What `/mcp/name` forwards besides tools; nothing by default': '在 `/mcp/name` 除工具外还转发的内容；默认没有',
  'Prefix of its tool names (`name__tool`) and its path (`/mcp/name`). Cannot be changed later.':
    '其工具名称的前缀：`name__tool`；服务地址为 `/mcp/name`。设置后不可更改。',
  'Whether the server lists more than was read': '服务器列出的内容超出读取上限',
  'Complete list of allowed tools; tools not listed are not allowed': '全部允许的工具；未列出的工具不允许',
  'Fingerprint of the approved description and schema, as returned by a test': '所批准的说明和结构的指纹，见测试结果',
  'Whether a person must approve each call': '每次调用前须询问',
  'Price per call in quota units; unchanged if omitted': '每次调用的价格，以额度单位计；不填则保持不变',
  'Fingerprint of the approved definition, as returned by a test': '所批准的定义的指纹，见测试结果',
  'Whether a person must approve each call; unchanged if omitted': '每次调用前须询问；不填则保持不变',
  'Redirect to the tools page': '跳转到工具页面',
  'A JSON-RPC message, or an array of messages in revision 2025-03-26': 'JSON-RPC 消息；2025-03-26 版本可包含多条',
  'The response, or an event stream that ends with it': '响应，或以响应结尾的事件流',
  'Accepted; no response body': '已接收；无需应答',
  'Messages as they arrive': '实时消息',
  'URL that serves all of them together': '全部工具合并的地址',
  'Whether API keys can be used with these URLs': '这些地址可以使用 API 密钥访问',
  'Whether you may connect servers': '你可以连接服务器',
  'Result as returned by the tool': '工具返回的原始结果',
  'User who owns the server, or who represents the organisation that owns it; null for the operator’s servers':
    '所属用户；组织的服务器为代表该组织的用户；运营者的服务器为 null',
  'ID of the organisation or user': '组织或用户的 ID',
  'The same as indented JSON, for programs whose parser would round long numbers':
    '同样的内容，以带缩进的 JSON 文本给出，供会舍入长数字的程序使用',
  'Null if it was deleted, and for a session': '若已删除，或为网页会话，则为 null',
  'The program that wants to make the call; the approval is only for it. A session is a page of the web app':
    '要进行此调用的程序，批准仅对它有效。session 表示网页应用的页面',
  'Organisation of the team key that made the call; its owners and administrators decide':
    '使用团队密钥的调用所属的组织，由其所有者和管理员答复',
  'Organisation whose members can use it; null for your own and the operator’s':
    '供哪个组织的成员使用；您自己的和运营者的为 null',
  'Only servers of this organisation': '仅此组织的',
  'Connects the server for all members of this organisation, which you manage; its name becomes `name_id`, such as `files_12`, and is unique':
    '供您所管理的此组织全体成员使用：其名称为 `name_id`，例如 `files_12`，不与他人重名',
  'Initial settings of sessions opened with the secret, as in `session.update`':
    '用此密钥打开的会话的初始设置，与 `session.update` 相同',
  'Model name, as sent by Azure clients': '模型，按 Azure 客户端的名称',
  'A WebSocket connection': 'WebSocket 连接',
  'Empty if the service registers itself': '由本服务自动注册时为空',
  '`changed`: not offered until approved again; `missing`: allowed, but no longer listed by the server':
    '`changed`：重新批准前不提供；`missing`：已允许，但服务器不再列出',
  'Title, annotations and result schema, if present': '标题、注解和结果的结构（如有）',
  'Why it cannot be allowed': '不能允许的原因',
  'Approved definition': '批准时的内容',
  'Differences from the approved definition; empty unless the state is `changed`':
    '与批准时不同之处；状态不是 `changed` 时为空',
  'Null for the built-in tools of this service': '本服务自身为 null',
  'URL for agents': '供智能体访问的地址',
  'Whether you can change it at `/api/mcp/servers/{id}`': '你可以通过 `/api/mcp/servers/{id}` 修改',
  'Whether you connected it for yourself only': '由你连接，仅供你使用',
  'Null if no sign-in is required': '无需登录时为 null',
  'For `enterprise`: identity provider to sign in to this service with, which vouches for you':
    '使用 `enterprise` 时：登录本服务所用的身份提供商，由它为你担保',
  'Allowed tools as approved': '已允许的工具，以批准时的内容为准',
  'Price per call in quota units; 0 if free': '每次调用的价格，以额度单位计；0 表示免费',
  'Null if the user was deleted': '用户已删除时为 null',
  'Number of most recent calls that the fields below are based on': '以下字段基于最近多少次调用',

  'The image': '图像',
  'The audio in the requested format. With `stream_format: "sse"`, server-sent events':
    '音频，采用请求的格式。使用 `stream_format: "sse"` 时为服务器推送事件',
  'With `stream`, server-sent events': '使用 `stream` 时为服务器推送事件',
  'With `alt=sse`, server-sent events': '使用 `alt=sse` 时为服务器推送事件',
  'Text in the requested format': '文本，采用请求的格式',
  'Text in the requested format. With `stream`, server-sent events':
    '文本，采用请求的格式。使用 `stream` 时为服务器推送事件',
  "The file's bytes, unchanged": '上传或生成的原始字节',
  'One JSON object per line': '每行一个 JSON 对象',
  'The video, in the media type of its provider': '视频，采用提供商的媒体类型',
  'The requested range': '请求的范围',
  'Not modified': '未修改',

  'Result for each entry, in the order sent': '各条目的处理结果，按提交顺序',
  'Result for each file, in the order sent; accepted files are read in the background':
    '各文件的处理结果，按提交顺序；已接受的文件在后台读取',
  'Why it could not be imported, and what to do about it': '不能导入的原因及解决办法',
  'Number of passages that can be searched so far': '目前可以搜索到的段落数',
  'Total number of passages in the file; null until it has been read': '整个文件的段落数，读取完成后给出',
  'File size in bytes': '文件的字节数',
  'For knowledge learned from a conversation: the passage it comes from': '从对话中学到的知识：所依据的原话',
  'ID of the message that contains the quote': '包含该原话的消息 ID',
  'For imported knowledge: the file and the position of this passage in it': '导入的知识：来源文件及该段落在其中的位置',

  "Names of connected servers' tools that tasks may use; true for all tools available to the user":
    '任务可以使用的已连接服务器的工具，按名称；true 表示用户可用的全部工具',
  'Cost limit in dollars: no model call starts once the run has cost this much; null for no limit':
    '以美元计：运行费用达到此值后不再发起模型调用；null 表示不限',
  'Your own tools that tasks may call, in the format of chat completions; the run waits for their outputs':
    '任务可以调用的你的工具，采用对话补全的格式：运行会等待其结果',
  'Which tool calls require approval: none, calls to tools marked by the operator, or all':
    '哪些工具调用须等待人工批准：无、运营者标记的工具，或全部',
  'Applies to everything from here on and takes precedence over the goal': '对此后的一切生效，优先于目标',
  'Complete plan from here on, in the format of the status; tasks not listed are dropped':
    '此后的完整计划，格式与状态中所示相同：未列出的任务会被放弃',
  'Results of pending_tool_calls; the model receives the first 64 KiB of each':
    'pending_tool_calls 的结果；每个结果的前 64 KiB 会告知模型',
  'ID from pending_approvals': 'pending_approvals 中的一项',
  'Note sent to the model with a rejection': '拒绝时告知模型的说明',
  'Server-sent events; the stream ends after the last one': '服务器推送事件；最后一个事件后结束',
  'Identifies every call of the run in `/api/usage/logs` and `/api/routing/decisions`':
    '可用于在 `/api/usage/logs` 和 `/api/routing/decisions` 中查找运行的每次调用',
  'Newest first': '最新的在前',
  'Null on later pages': '后续页面为 null',
  'Total duration of all model calls; parallel calls each count in full': '所有模型调用的时长之和；同时进行的分别计入',
  '`task_id` null: calls that belong to no single task': '`task_id` 为 null：不属于任何单个任务',
  'False if there are more calls than the sums cover': '调用次数超出统计上限时为 false',
  USD: '美元',
  'Checkpoint of the pause, used to resume': '暂停时的检查点，用于继续',
  'Work finished before the pause': '暂停前已完成的部分',
  'Titles of unfinished tasks': '未完成任务的标题',
  'Calls to your tools; submit their results with tool-results': '对你的工具的调用：通过 tool-results 提交结果',
  'JSON as written by the model': '模型写出的 JSON',
  'Calls that require approval; decide on each with approve': '须经允许才会执行的调用：通过 approve 逐个答复',
  'How the result falls short of the goal, as text': '与目标的差距，文字说明',
  'Cost of ended calls in dollars': '已结束的调用的费用，以美元计',
  'The same cost in quota units': '同上，以额度单位计',
  'Unix time in seconds when the model answered or the event happened': 'Unix 秒：模型应答或其他事件发生的时间',
  'Purpose of a model call, name of a tool, event of a decision, or reason for a pause':
    '模型的用途、工具的名称、决策的事件，或暂停的原因',
  'Title of the task in the current plan': '任务的标题，以当前计划为准',
  'Details as text; for tool calls, the arguments': '文字说明；工具调用则为参数',
  'For tools: beginning of the output sent to the model': '工具的输出：告知模型的内容的开头',
  'Outcome of a call; `open` until it ends': '调用的结果；未结束时为 `open`',
  'Request ID of a model call, as in usage and routing decisions': '模型调用的请求 ID，见用量和路由决策',
} as const;
