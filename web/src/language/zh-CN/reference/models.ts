/** Models, tools, responses, batches, orchestration and videos. */
export default {
  'Models that you may use: prices, context, capabilities and health': '你可用的模型：价格、上下文、能力和健康状况',
  'One model, and everybody who serves it': '单个模型及其所有提供商',

  'List the MCP servers that you look after: your own, those of organisations that you run, or all':
    '列出由您管理的 MCP 服务器：您自己的、您所管理组织的，或全部',
  'Connect an MCP server (Streamable HTTP). None of its tools is offered before it is allowed':
    '连接 MCP 服务器（Streamable HTTP）。其工具须经允许后才会提供',
  'Show an MCP server': '查看 MCP 服务器',
  'Change an MCP server; fields not given stay, headers given replace all there were. Another origin needs the headers again':
    '修改 MCP 服务器；未给出的字段保持不变，给出的请求头会替换原有的全部请求头。更换来源时须重新提供请求头',
  'Disconnect an MCP server, and forget what was allowed of it': '断开 MCP 服务器，并清除已允许的内容',
  'Tools of connected servers that the caller may use, as they are offered to models':
    '调用者可用的已连接服务器的工具，与提供给模型的形式相同',
  'Connect to the server and list its tools as they stand, beside what was approved':
    '连接服务器并列出其当前的工具，与已批准的内容对照',
  'Say which tools are allowed and which ask first, and approve their definitions':
    '设置允许哪些工具、哪些须先询问，并批准其定义',
  'Approve the definition of one tool, as a test shows it: of a new one, or of one that has changed':
    '批准测试所显示的某个工具的定义：新工具或有变更的工具',
  'Calls of tools, made for you over MCP, that wait for your word or have it':
    '通过 MCP 代你发起的工具调用，等待你决定或已决定',
  'Approve or refuse a call; approved, it may be made once': '批准或拒绝调用；批准后可执行一次',
  'Begin to sign in to a server that you may use: the address that your browser has to go to':
    '开始登录你可用的服务器：返回浏览器要前往的地址',
  'Forget that you are signed in to a server': '退出服务器的登录',
  'Begin to sign in to a server of an organisation that you run, for keys of its teams and all who have not':
    '代表团队密钥和所有未登录的成员，开始登录你所管理组织的服务器',
  'Forget that somebody is signed in to a server for an organisation, and give back what was granted':
    '结束代表组织的服务器登录，并归还所获授权',
  'Where a browser comes back to after signing in to a server': '登录服务器后浏览器返回的地址',
  'What authorization servers of connected servers read about this service: its Client ID Metadata Document':
    '已连接服务器的授权服务器读取的本服务信息：客户端 ID 元数据文档',
  'Servers that you may use, with their addresses for agents and the tools that are allowed':
    '你可用的服务器、供智能体使用的地址和允许的工具',
  'Call a tool by the name it is offered under. One that asks first is called as well: you are who it would ask':
    '按提供时的名称调用工具。须先询问的工具也会直接调用：要询问的人就是你',
  'All tools that the caller may use, named `server__tool`, over MCP (Streamable HTTP)':
    '通过 MCP（Streamable HTTP）使用调用者可用的全部工具，名称为 `server__tool`',
  'All tools that the caller may use, named `server__tool`: ends the sessions of the client':
    '调用者可用的全部工具，名称为 `server__tool`：结束客户端的会话',
  'Tools of this service itself, over MCP (Streamable HTTP)': '通过 MCP（Streamable HTTP）使用本服务自身的工具',
  'Tools of this service itself: ends the sessions of the client': '本服务自身的工具：结束客户端的会话',
  'A connected server, over MCP (Streamable HTTP)': '通过 MCP（Streamable HTTP）使用已连接的服务器',
  'A connected server: ends the sessions of the client': '已连接的服务器：结束客户端的会话',
  'A connected server: what it says by itself, in the session of the client':
    '已连接的服务器：在客户端的会话中主动发送的消息',

  'A long conversation in short, to be used as input': '将长对话压缩，用作后续输入',
  'Tokens that a response would take in; free': '计算一次响应的输入 token 数；免费',
  'A kept response; one that runs in the background also as a stream': '已保存的响应；后台运行的响应也可流式获取',
  'Delete a kept response': '删除已保存的响应',
  'Cancel a response that runs in the background': '取消后台运行的响应',
  'What the request of a kept response brought': '已保存的响应对应请求的输入',
  'Begin a conversation that responses can be part of': '创建对话，供响应加入',
  'A conversation': '单个对话',
  'Change the metadata of a conversation': '修改对话的元数据',
  'Delete a conversation; responses that are part of it stay': '删除对话；其中的响应保留',
  'Add items to a conversation, 20 at most': '向对话添加条目，最多 20 条',
  'The items of a conversation': '对话的条目',
  'One item of a conversation': '对话的单个条目',
  'Take an item out of a conversation': '从对话中移除条目',

  'Upload a file': '上传文件',
  'Upload a file: `/v1/files` with `anthropic-version`': '上传文件：带 `anthropic-version` 的 `/v1/files`',
  'Begin a file that comes in parts, within an hour': '开始分片上传文件，须在一小时内完成',
  'Add a part to an upload, 64 MiB at most; several may come at once':
    '向分片上传添加一个分片，最大 64 MiB；可同时上传多个',
  'Make a file of the parts of an upload, in the order named': '按给出的顺序将分片合成为文件',
  'Cancel an upload, and throw out its parts': '取消分片上传并丢弃其分片',
  'Files, the newest first': '文件列表，最新的在前',
  'Files, the newest first: `/v1/files` with `anthropic-version`':
    '文件列表，最新的在前：带 `anthropic-version` 的 `/v1/files`',
  'One file, without its content': '单个文件的信息，不含内容',
  'Delete a file': '删除文件',
  'The content of a file': '文件的内容',
  'Answer the requests of a file within a day': '在一天内处理文件中的请求',
  'Batches, the newest first': '批处理列表，最新的在前',
  'One batch': '单个批处理',
  'Cancel a batch; what was answered by then is kept': '取消批处理；已完成的回答会保留',
  'Answer many messages within a day': '在一天内处理大量消息',
  'Batches of messages, the newest first': '消息批处理列表，最新的在前',
  'One batch of messages': '单个消息批处理',
  'Delete a batch that has ended, with its results': '删除已结束的批处理及其结果',
  'The results of a batch that has ended, one on each line': '已结束的批处理的结果，每行一个',
  'Cancel a batch of messages; what was answered by then is kept': '取消消息批处理；已完成的回答会保留',

  'My sessions, the last used first': '我的会话，最近使用的在前',
  'Start a session, or find the one of that id': '创建会话，或查找该 ID 的会话',
  'One session with its summary and the plan under way': '单个会话及其摘要和进行中的计划',
  'Delete a session and its memory for good; knowledge stays': '永久删除会话及其记忆；知识库保留',
  'What was said, from the beginning': '从头开始的对话内容',
  'Import many entries, or text, Markdown and PDF files': '批量导入条目，或导入文本、Markdown 和 PDF 文件',
  'Files that my knowledge was imported from, the newest first, and how far each import is':
    '导入知识库的文件及其进度，最新的在前',
  'One source': '单个来源',
  'Delete a source with its passages': '删除来源及其段落',
  'Search my knowledge by words and by meaning; without a query, the newest':
    '按关键词和语义搜索我的知识库；不带查询时返回最新的条目',
  'Add a knowledge entry': '添加知识条目',
  'One knowledge entry': '单个知识条目',
  'Change a knowledge entry; what is not named stays': '修改知识条目；未给出的字段保持不变',
  'Delete a knowledge entry': '删除知识条目',
  'My preferences, defaults filled in': '我的偏好，已填入默认值',
  'Change preferences; what is not named stays, null resets': '修改偏好；未给出的字段保持不变，null 恢复默认',
  'What the engine has learned of models and kinds of tasks': '引擎对各模型和任务类型的经验',
  'Start an execution that works on a goal by itself': '启动自主完成目标的运行',
  'Go on from a checkpoint, with further instructions or another plan where they are given':
    '从检查点继续，可附加说明或更换计划',
  'Bring what came of calls of your tools; the execution goes on when it waits for nothing more':
    '提交你的工具的调用结果；没有其他等待事项时继续运行',
  'Allow or refuse one call of a tool; the execution goes on when it waits for nothing more':
    '允许或拒绝一次工具调用；没有其他等待事项时继续运行',
  "End a session's execution that runs or waits; what it finished is kept in a checkpoint":
    '结束会话中正在进行或等待的运行；已完成的部分保存在检查点中',
  'My executions, the newest first': '我的运行，最新的在前',
  "Where a session's execution stands": '会话中运行的状态',
  'Where a session can be resumed from, oldest first': '会话可以从哪些检查点继续，最早的在前',
  'Events of the execution as they happen, after Last-Event-ID or from its beginning':
    '实时获取运行的事件，从 Last-Event-ID 之后或从头开始',
  "Every model call, tool call, decision and pause of a session's execution with what it cost, the newest first":
    '会话中运行的每次模型调用、工具调用、决策和暂停及其费用，最新的在前',

  'Video models and what each can do': '视频模型及其能力',
  'The secret that signs your video callbacks': '用于签名视频回调的密钥',
  'Start making a video': '开始生成视频',
  'Your video jobs, newest first': '你的视频任务，最新的在前',
  'How far a video is': '视频的进度',
  'Cancel a video; one that was asked for in the words of OpenAI is deleted':
    '取消视频；以 OpenAI 格式请求的视频会被删除',
  'Refused: no provider of ours changes a video that it has made': '不支持：没有提供商能修改已生成的视频',
  'The video itself; ranges are supported': '视频内容；支持分段请求',
  'A new secret for your video callbacks; the old one goes on for a while':
    '更换视频回调密钥；旧密钥会继续有效一段时间',
  'The secret before signs too, in a header of its own, until then': '在此之前，旧密钥也会用单独的标头签名',
} as const;
