/** What the groups of the reference are called, and the endpoints that callers need first. */
export default {
  'OAuth 2.0 authorization server and AI gateway.': 'OAuth 2.0 授权服务器与 AI 网关。',

  'Account##tag': '账号',
  'Administration##tag': '管理',
  'API keys##tag': 'API 密钥',
  'SCIM##tag': 'SCIM',
  'Organisations##tag': '组织',
  'OAuth administration##tag': 'OAuth 管理',
  'Tools##tag': '工具',
  'Usage##tag': '用量',
  'Channels##tag': '渠道',
  'Routing##tag': '路由',
  'Relay##tag': '模型调用',
  'Models##tag': '模型',
  'Responses##tag': 'Responses 接口',
  'Batches##tag': '批处理',
  'Orchestration##tag': '编排',
  'Video##tag': '视频',
  'Credits##tag': '额度',
  'Playground##tag': '操练场',

  'Create a chat completion, optionally streamed': '对话补全，支持一次性返回或流式返回',
  'Create a message in the Anthropic format, optionally streamed': 'Anthropic 格式的消息，支持一次性返回或流式返回',
  'Create a text completion, optionally streamed; uses chat if the model does not support completions':
    '文本补全，支持一次性返回或流式返回；模型没有该接口时通过对话完成',
  'Create a chat response in the Cohere format, optionally streamed': 'Cohere 格式的对话，支持一次性返回或流式返回',
  'Create responses one after another over a WebSocket, in the format of OpenAI’s Responses API':
    '通过一个 WebSocket 连接依次获取响应，采用 OpenAI Responses API 的格式',
  'Create a response in the format of OpenAI’s Responses API, optionally streamed':
    'OpenAI Responses API 格式的响应，支持一次性返回或流式返回',
  'Count the tokens of a message, free of charge': '计算一条消息的 token 数；免费',
  'List the models that the key may use': '此密钥可用的模型',
  'Get a model, including its price and supported inputs': '单个模型及其价格与输入限制',
  'Generate content in the Gemini format': 'Gemini 格式的回答',
  'Generate content in the Gemini format as a stream: server-sent events with alt=sse, otherwise the elements of an array':
    'Gemini 格式的回答，流式返回：带 alt=sse 时为事件流，否则逐个返回数组元素',
  'Count the tokens of a request, free of charge': '计算一次请求的 token 数；免费',
  'Create an embedding of one text in the Gemini format': 'Gemini 格式的单条文本嵌入',
  'Create embeddings of several texts in the Gemini format': 'Gemini 格式的多条文本嵌入',
  'List the models that the key may use in the Anthropic format: `/v1/models` with `anthropic-version`':
    '此密钥可用的模型：带 `anthropic-version` 的 `/v1/models`',
  'Get a model in the Anthropic format': '单个模型（Anthropic 格式）',
  'List the models that the key may use in the Gemini format': '此密钥可用的模型（Gemini 格式）',
  'Get a model in the Gemini format': '单个模型（Gemini 格式）',
  'Create embeddings of texts': '文本嵌入',
  'Create embeddings in the Cohere format, at Cohere’s address': '创建文本嵌入，采用 Cohere 的地址和格式',
  'Rank documents in the Cohere format, at Cohere’s address': '对文档重新排序，采用 Cohere 的地址和格式',
  'Generate images from a prompt': '根据提示词生成图像',
  'Edit images with a prompt': '根据图像和提示词生成图像',
  'Create variations of an image': '生成与原图相似的图像',
  'Get an image generated in the last 24 hours; anyone with the address can access it':
    '最近 24 小时内生成的图像；知道地址即可访问',
  'Generate speech from text, streamed': '文本转语音，流式返回',
  'Open a speech and text session over a WebSocket, in OpenAI’s Realtime format':
    '通过 WebSocket 进行语音和文本会话，采用 OpenAI Realtime 格式',
  'Create a short-lived secret that a browser uses to open realtime sessions': '供浏览器开启实时会话的短期密钥',
  'Create a short-lived secret for transcription sessions, in the previous format':
    '供仅转写的会话使用的短期密钥，采用旧格式',
  'Calls over WebRTC and SIP are not supported; requests are always rejected':
    '不支持通过 WebRTC 和 SIP 的呼叫，一律拒绝',
  'Transcribe an audio file': '将音频文件转写为文本',
  'Translate an audio file into English text': '将音频文件翻译为英文文本',
  'Check whether texts violate a content policy': '检查文本是否违反内容政策',
  'Rank documents by relevance to a query': '按与查询的相关程度对文档重新排序',
} as const;
