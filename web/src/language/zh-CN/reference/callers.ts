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

  'Chat completion, whole or streamed': '对话补全，支持一次性返回或流式返回',
  'Message in the Anthropic format, whole or streamed': 'Anthropic 格式的消息，支持一次性返回或流式返回',
  'Text completion, whole or streamed, over chat where a model has none':
    '文本补全，支持一次性返回或流式返回；模型没有该接口时通过对话完成',
  'Chat in the format of Cohere, whole or streamed': 'Cohere 格式的对话，支持一次性返回或流式返回',
  'Responses one after the other over a WebSocket, as of OpenAI’s Responses API':
    '通过一个 WebSocket 连接依次获取响应，采用 OpenAI Responses API 的格式',
  'Response in the format of OpenAI’s Responses API, whole or streamed':
    'OpenAI Responses API 格式的响应，支持一次性返回或流式返回',
  'Tokens that a message would take; free': '计算一条消息的 token 数；免费',
  'Models that the key may use': '此密钥可用的模型',
  'One model, its price and what it takes': '单个模型及其价格与输入限制',
  'Answer in the format of Gemini': 'Gemini 格式的回答',
  'The same as a stream: of events with alt=sse, else of the elements of an array':
    '同上，流式返回：带 alt=sse 时为事件流，否则逐个返回数组元素',
  'Tokens that a request would take; free': '计算一次请求的 token 数；免费',
  'Embedding of a text in the format of Gemini': 'Gemini 格式的单条文本嵌入',
  'Embeddings of several texts in the format of Gemini': 'Gemini 格式的多条文本嵌入',
  'Models that the key may use: `/v1/models` with `anthropic-version`':
    '此密钥可用的模型：带 `anthropic-version` 的 `/v1/models`',
  'One model, to clients of Anthropic': '单个模型（Anthropic 格式）',
  'Models that the key may use, in the format of Gemini': '此密钥可用的模型（Gemini 格式）',
  'One model in the format of Gemini': '单个模型（Gemini 格式）',
  'Embeddings of texts': '文本嵌入',
  'The same in the shape of Cohere, at its address': '同上，采用 Cohere 的地址和格式',
  'Images from a prompt': '根据提示词生成图像',
  'Images from images and a prompt': '根据图像和提示词生成图像',
  'Images like an image': '生成与原图相似的图像',
  'An image that was made in the last 24 hours; its address is its only key':
    '最近 24 小时内生成的图像；知道地址即可访问',
  'Speech from text, streamed': '文本转语音，流式返回',
  'A session of speech and text over a WebSocket, in OpenAI’s Realtime format':
    '通过 WebSocket 进行语音和文本会话，采用 OpenAI Realtime 格式',
  'A short-lived secret with which a browser opens realtime sessions': '供浏览器开启实时会话的短期密钥',
  'The same for sessions that only transcribe, in the format of before': '同上，用于仅转写的会话，采用旧格式',
  'Calls over WebRTC and SIP, which are not offered: always refused': '不支持通过 WebRTC 和 SIP 的呼叫，一律拒绝',
  'Text of a sound file': '将音频文件转写为文本',
  'English text of a sound file': '将音频文件翻译为英文文本',
  'Whether texts break a content policy': '检查文本是否违反内容政策',
  'Documents in the order of how well they answer a query': '按与查询的相关程度对文档重新排序',
} as const;
