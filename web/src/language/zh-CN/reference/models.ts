/** Models, tools, responses, batches, orchestration and videos. */
export default {
  'List the models you can use, with prices, context, capabilities and health':
    '你可用的模型：价格、上下文、能力和健康状况',
  'Get a model and all providers that serve it': '单个模型及其所有提供商',

  'List the MCP servers you manage: your own, those of organisations you manage, or all':
    '列出由您管理的 MCP 服务器：您自己的、您所管理组织的，或全部',
  'Connect an MCP server (Streamable HTTP). Its tools are offered only after you allow them':
    '连接 MCP 服务器（Streamable HTTP）。其工具须经允许后才会提供',
  'Get an MCP server': '查看 MCP 服务器',
  'Update an MCP server; omitted fields stay unchanged, and new headers replace all existing ones. A new origin requires the headers again':
    '修改 MCP 服务器；未给出的字段保持不变，给出的请求头会替换原有的全部请求头。更换来源时须重新提供请求头',
  'Disconnect an MCP server and delete its tool permissions': '断开 MCP 服务器，并清除已允许的内容',
  'List the tools of connected servers that the caller may use, in the form offered to models':
    '调用者可用的已连接服务器的工具，与提供给模型的形式相同',
  'Connect to the server and compare its current tools with the approved definitions':
    '连接服务器并列出其当前的工具，与已批准的内容对照',
  'Set which tools are allowed and which require approval, and approve their definitions':
    '设置允许哪些工具、哪些须先询问，并批准其定义',
  'Approve the definition of a new or changed tool as returned by a test':
    '批准测试所显示的某个工具的定义：新工具或有变更的工具',
  'List tool calls made for you over MCP that are waiting for your decision or have been decided':
    '通过 MCP 代你发起的工具调用，等待你决定或已决定',
  'Approve or reject a tool call; an approved call can be made once': '批准或拒绝调用；批准后可执行一次',
  'Start signing in to a server you can use; returns the URL to open in your browser':
    '开始登录你可用的服务器：返回浏览器要前往的地址',
  'Sign out of a server': '退出服务器的登录',
  'Start signing in to a server of an organisation you manage, for its team keys and all members who have not signed in':
    '代表团队密钥和所有未登录的成员，开始登录你所管理组织的服务器',
  'Sign an organisation out of a server and revoke the granted access': '结束代表组织的服务器登录，并归还所获授权',
  'Redirect URL after signing in to a server': '登录服务器后浏览器返回的地址',
  "Get this service's Client ID Metadata Document, read by authorization servers of connected servers":
    '已连接服务器的授权服务器读取的本服务信息：客户端 ID 元数据文档',
  'List the servers you can use, with their URLs for agents and their allowed tools':
    '你可用的服务器、供智能体使用的地址和允许的工具',
  'Call a tool by the name it is offered under. Tools that require approval are called immediately, because you would be the one to approve them':
    '按提供时的名称调用工具。须先询问的工具也会直接调用：要询问的人就是你',
  'Use all tools available to the caller, named `server__tool`, over MCP (Streamable HTTP)':
    '通过 MCP（Streamable HTTP）使用调用者可用的全部工具，名称为 `server__tool`',
  "End the client's MCP sessions for all tools available to the caller, named `server__tool`":
    '调用者可用的全部工具，名称为 `server__tool`：结束客户端的会话',
  'Use the built-in tools of this service over MCP (Streamable HTTP)':
    '通过 MCP（Streamable HTTP）使用本服务自身的工具',
  "End the client's MCP sessions for the built-in tools of this service": '本服务自身的工具：结束客户端的会话',
  'Use a connected server over MCP (Streamable HTTP)': '通过 MCP（Streamable HTTP）使用已连接的服务器',
  "End the client's MCP sessions with a connected server": '已连接的服务器：结束客户端的会话',
  "Stream messages that a connected server sends on its own in the client's session":
    '已连接的服务器：在客户端的会话中主动发送的消息',

  'Compact a long conversation for use as input': '将长对话压缩，用作后续输入',
  'Count the input tokens of a response; free of charge': '计算一次响应的输入 token 数；免费',
  'Get a stored response; one running in the background can also be streamed':
    '已保存的响应；后台运行的响应也可流式获取',
  'Delete a stored response': '删除已保存的响应',
  'Cancel a background response': '取消后台运行的响应',
  'List the input items of a stored response': '已保存的响应对应请求的输入',
  'Create a conversation that responses can be added to': '创建对话，供响应加入',
  'Get a conversation': '单个对话',
  'Update the metadata of a conversation': '修改对话的元数据',
  'Delete a conversation; its responses are kept': '删除对话；其中的响应保留',
  'Add up to 20 items to a conversation': '向对话添加条目，最多 20 条',
  'List the items of a conversation': '对话的条目',
  'Get an item of a conversation': '对话的单个条目',
  'Remove an item from a conversation': '从对话中移除条目',

  'Upload a file': '上传文件',
  'Upload a file: `/v1/files` with `anthropic-version`': '上传文件：带 `anthropic-version` 的 `/v1/files`',
  'Start a multipart file upload, to be completed within an hour': '开始分片上传文件，须在一小时内完成',
  'Add a part of up to 64 MiB to an upload; parts can be sent in parallel':
    '向分片上传添加一个分片，最大 64 MiB；可同时上传多个',
  'Complete an upload: combine its parts into a file in the given order': '按给出的顺序将分片合成为文件',
  'Cancel an upload and discard its parts': '取消分片上传并丢弃其分片',
  'List files, newest first': '文件列表，最新的在前',
  'List files, newest first: `/v1/files` with `anthropic-version`':
    '文件列表，最新的在前：带 `anthropic-version` 的 `/v1/files`',
  'Get a file without its content': '单个文件的信息，不含内容',
  'Delete a file': '删除文件',
  'Download the content of a file': '文件的内容',
  'Create a batch that runs the requests of a file within a day': '在一天内处理文件中的请求',
  'List batches, newest first': '批处理列表，最新的在前',
  'Get a batch': '单个批处理',
  'Cancel a batch; finished results are kept': '取消批处理；已完成的回答会保留',
  'Create a batch of messages, answered within a day': '在一天内处理大量消息',
  'List message batches, newest first': '消息批处理列表，最新的在前',
  'Get a message batch': '单个消息批处理',
  'Delete an ended batch and its results': '删除已结束的批处理及其结果',
  'Get the results of an ended batch, one per line': '已结束的批处理的结果，每行一个',
  'Cancel a message batch; finished results are kept': '取消消息批处理；已完成的回答会保留',

  'List your sessions, most recently used first': '我的会话，最近使用的在前',
  'Create a session, or return the existing one with that id': '创建会话，或查找该 ID 的会话',
  'Get a session with its summary and current plan': '单个会话及其摘要和进行中的计划',
  'Permanently delete a session and its memory; knowledge is kept': '永久删除会话及其记忆；知识库保留',
  'List the messages of a session, oldest first': '从头开始的对话内容',
  'Import several entries, or text, Markdown and PDF files': '批量导入条目，或导入文本、Markdown 和 PDF 文件',
  'List the files your knowledge was imported from, newest first, with the progress of each import':
    '导入知识库的文件及其进度，最新的在前',
  'Get a source': '单个来源',
  'Delete a source and its passages': '删除来源及其段落',
  'Search your knowledge by keyword and meaning; without a query, list the newest entries':
    '按关键词和语义搜索我的知识库；不带查询时返回最新的条目',
  'Add a knowledge entry': '添加知识条目',
  'Get a knowledge entry': '单个知识条目',
  'Update a knowledge entry; omitted fields stay unchanged': '修改知识条目；未给出的字段保持不变',
  'Delete a knowledge entry': '删除知识条目',
  'Get your preferences, with defaults filled in': '我的偏好，已填入默认值',
  'Update preferences; omitted fields stay unchanged, null resets to the default':
    '修改偏好；未给出的字段保持不变，null 恢复默认',
  'Get what the engine has learned about models and task types': '引擎对各模型和任务类型的经验',
  'Start an autonomous execution for a goal': '启动自主完成目标的运行',
  'Resume from a checkpoint, optionally with more instructions or another plan': '从检查点继续，可附加说明或更换计划',
  'Submit the results of calls to your tools; the execution continues once nothing else is pending':
    '提交你的工具的调用结果；没有其他等待事项时继续运行',
  'Approve or reject a tool call; the execution continues once nothing else is pending':
    '允许或拒绝一次工具调用；没有其他等待事项时继续运行',
  "Stop a session's running or waiting execution; finished work is kept in a checkpoint":
    '结束会话中正在进行或等待的运行；已完成的部分保存在检查点中',
  'List your executions, newest first': '我的运行，最新的在前',
  "Get the status of a session's execution": '会话中运行的状态',
  'List the checkpoints a session can be resumed from, oldest first': '会话可以从哪些检查点继续，最早的在前',
  'Stream execution events live, after Last-Event-ID or from the beginning':
    '实时获取运行的事件，从 Last-Event-ID 之后或从头开始',
  "List every model call, tool call, decision and pause of a session's execution with its cost, newest first":
    '会话中运行的每次模型调用、工具调用、决策和暂停及其费用，最新的在前',

  'List video models and their capabilities': '视频模型及其能力',
  'Get the signing secret for your video callbacks': '用于签名视频回调的密钥',
  'Create a video': '生成视频',
  'List your video jobs, newest first': '你的视频任务，最新的在前',
  'Get the status and progress of a video': '视频的进度',
  "Cancel a video; one created in OpenAI's format is deleted": '取消视频；以 OpenAI 格式请求的视频会被删除',
  'Not supported: no provider can modify a finished video': '不支持：没有提供商能修改已生成的视频',
  'Download the video; range requests are supported': '视频内容；支持分段请求',
  'Rotate the signing secret for your video callbacks; the old one stays valid for a while':
    '更换视频回调密钥；旧密钥会继续有效一段时间',
  'Until when callbacks are also signed with the previous secret, in a separate header':
    '在此之前，旧密钥也会用单独的标头签名',
} as const;
