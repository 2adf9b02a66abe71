/** Options by their keys, and what the service says of each (server/src/identity/option-table.ts). No full stop, and no unit
 * that the input shows: the page adds both. */
export default {
  OAuth2Enabled: '启用 OAuth',
  'Master switch for the whole OAuth system': '整个 OAuth 系统的总开关',
  OAuth2RequireApproval: '要求应用通过审核',
  'Only applications verified by an administrator may request authorization': '只有经管理员验证的应用才能请求授权',
  OAuth2AccessTokenTTL: '访问令牌有效期',
  'Lifetime of access tokens, seconds': '访问令牌的有效时长',
  OAuth2RefreshTokenTTL: '刷新令牌有效期',
  'Lifetime of refresh tokens, seconds': '刷新令牌的有效时长',
  OAuth2CodeTTL: '授权码有效期',
  'Lifetime of authorization codes, seconds': '授权码的有效时长',
  OAuth2AllowedScopes: '允许的权限范围',
  'Scopes that applications may be granted; models:use requires OAuth2OpenIDConnect':
    '应用最多可获得的权限范围；models:use 仅在 OAuth2OpenIDConnect 开启时可用',
  OAuth2OpenIDConnect: 'OpenID Connect',
  'OpenID Connect: ID tokens, signing keys, prompt and max_age, application logout; pushed authorization requests, device codes, DPoP, unregistered clients, the scope models:use, token exchange':
    'OpenID Connect：ID 令牌、签名密钥、prompt 与 max_age、应用退出登录；推送授权请求、设备码、DPoP、未经注册的客户端、权限范围 models:use、令牌交换',
  OAuth2ClientDocuments: '客户端文档',
  'Accept unregistered clients that are described by a metadata document at their client ID; requires OpenID Connect':
    '开启 OpenID Connect 时，未经注册的客户端可以由其客户端 ID 地址上的文档说明',
  OAuth2DynamicRegistration: '客户端自行注册',
  'Allow programs to register themselves as clients; requires OpenID Connect':
    '开启 OpenID Connect 时，程序可以自行注册为客户端',
  OAuth2RegistrationTokenSha256: '注册令牌的 SHA-256',
  'SHA-256, in hexadecimal, of a token that programs must send to register themselves; empty to require no token':
    '程序自行注册时必须提供的令牌的 SHA-256（十六进制）；留空则不要求令牌',
  OAuth2SelfRegisteredClients: '自行注册的客户端数量',
  'Maximum number of self-registered clients': '自行注册的客户端数量上限',
  OAuth2SigningKeyDays: '签名密钥轮换周期',
  'Days until the signing key for ID tokens is rotated; 0 leaves rotation to administrators':
    '每隔多少天更换用于签署 ID 令牌的密钥；0 表示由管理员手动更换',
  CorsEnabled: '允许跨域调用',
  'Allow pages of other origins to call /v1, /mcp and the API token endpoints of applications: origins of registered applications, and CorsOrigins':
    '允许其他来源的页面调用 /v1、/mcp 和应用的 API 令牌接口，包括已注册应用的来源以及 CorsOrigins 中的来源',
  CorsOrigins: '额外允许的跨域来源',
  'Additional origins, separated by spaces; * allows all origins, at /v1 and /mcp only':
    '其他来源，以空格分隔；* 表示所有来源，仅限 /v1 和 /mcp',

  RegistrationEnabled: '开放注册',
  'Allow people to register accounts themselves': '允许用户自行注册',
  AdminSecondFactor: '管理员双重验证',
  'Require a second factor for administrators; without one they can open only their own account':
    '管理员必须启用双重验证，否则只能访问自己的账号页面',
  QuotaForNewUser: '新用户额度',
  'Initial balance of new users, in quota (500,000 = 1 USD)': '新用户的初始余额',

  RateLimitEnabled: '启用速率限制',
  'Master switch for all rate limits': '所有调用限制的总开关',
  AppRateLimitEnabled: '启用应用速率限制',
  "Apply each application's own rate limit to calls with its tokens": '各应用使用其令牌调用时自身的限制',
  RateLimitV1: '/v1 速率限制',
  '/v1/* and /v1beta/*, per key: calls per minute; 0 for no limit':
    '/v1/* 和 /v1beta/*，每个密钥每分钟的调用次数；0 表示不限',
  RateLimitApi: '/api 速率限制',
  '/api/*, per user or address: calls per minute; 0 for no limit':
    '/api/*，每个用户或 IP 地址每分钟的调用次数；0 表示不限',
  RateLimitScim: 'SCIM 速率限制',
  '/scim/v2, per organisation or address: calls per minute; 0 for no limit':
    '/scim/v2，每个组织或地址每分钟的调用次数；0 表示不限',
  RateLimitMcp: '/mcp 速率限制',
  '/mcp, per key or user: calls per minute; 0 for no limit': '/mcp，每个密钥或用户每分钟的调用次数；0 表示不限',
  RateLimitOAuthToken: 'OAuth 令牌速率限制',
  'Token endpoint, per address: calls per minute; 0 for no limit': '令牌端点，每个 IP 地址每分钟的调用次数；0 表示不限',
  RateLimitOAuthPushed: 'OAuth 推送授权请求速率限制',
  'Pushed authorization requests, per address: calls per minute; 0 for no limit':
    '推送授权请求，每个 IP 地址每分钟的调用次数；0 表示不限',
  RateLimitOAuthDevice: 'OAuth 设备码速率限制',
  'Device code requests, per address: calls per minute; 0 for no limit':
    '申请设备码，每个 IP 地址每分钟的调用次数；0 表示不限',
  RateLimitOAuthRevoke: 'OAuth 令牌撤销速率限制',
  'Revocation, per address: calls per minute; 0 for no limit': '撤销令牌，每个 IP 地址每分钟的调用次数；0 表示不限',
  RateLimitOAuthIntrospect: 'OAuth 令牌内省速率限制',
  'Introspection, per address: calls per minute; 0 for no limit': '令牌内省，每个 IP 地址每分钟的调用次数；0 表示不限',
  RateLimitOAuthUserinfo: 'OAuth 用户信息速率限制',
  'Userinfo, per address: calls per minute; 0 for no limit': '用户信息，每个 IP 地址每分钟的调用次数；0 表示不限',
  RateLimitOAuthAuthorize: 'OAuth 授权请求读取速率限制',
  'Reading an authorization request, per user: calls per minute; 0 for no limit':
    '读取授权请求，每个用户每分钟的调用次数；0 表示不限',
  RateLimitOAuthAuthorizePost: 'OAuth 授权请求答复速率限制',
  'Answering an authorization request, per user: calls per minute; 0 for no limit':
    '答复授权请求，每个用户每分钟的调用次数；0 表示不限',
  RateLimitOAuthRegister: 'OAuth 客户端注册速率限制',
  'Client self-registration, per address: calls per minute; 0 for no limit':
    '客户端自行注册，每个 IP 地址每分钟的调用次数；0 表示不限',
  RateLimitPayments: '付款事件速率限制',
  'Stripe events, per address: calls per minute; 0 for no limit':
    'Stripe 事件，每个 IP 地址每分钟的调用次数；0 表示不限',

  DefaultModelPrice: '默认模型价格',
  'USD per million tokens for models that appear only in a channel’s model list, without a price of their own':
    '仅列在渠道模型列表中、未单独定价的模型的价格，单位为美元 / 百万 token',
  OwnKeys: '允许自有密钥',
  'Allow users to add their own provider keys; their requests use those keys first':
    '用户可以使用自己在提供商处的密钥，其请求会优先使用这些密钥',
  OwnKeyFee: '自有密钥服务费',
  'Fee for requests with the user’s own key, as a share of the model’s price; 0.05 is 5 %':
    '使用自有密钥的请求按模型价格的多大比例收费',
  BatchPriceFactor: '批处理价格比例',
  'Price of batch requests, as a share of the model’s price; 0.5 is half':
    '批处理请求的价格占模型价格的比例；50% 即半价',

  OrphanedFileDays: '无主文件保留天数',
  'Age in days from which stored bytes that nothing in the database refers to are deleted; 0 keeps them':
    '数据库中已无任何记录引用的存储内容，超过多少天后删除；0 表示保留',
  DecisionLogDays: '路由决策保留天数',
  'Days to keep routing decisions': '路由决策保留的天数',
  AuditLogDays: '审计日志保留天数',
  'Days to keep audit entries': '审计条目保留的天数',
  UsageLogDays: '用量日志保留天数',
  'Days to keep individual usage entries and their ledger lines; daily totals are kept permanently':
    '单条用量记录及其账目明细保留的天数；每日汇总会一直保留',
  ResponsesKeptDays: '响应保留天数',
  'Days to keep responses and conversations after they were last continued; 0 keeps none':
    '响应和对话自最后一次被续接后保留的天数；0 表示不保留',
  RequestContentsDays: '请求内容保留天数',
  'Days to keep the prompts and answers of users who agreed to it, encrypted, with their requests; 0 keeps none':
    '经用户同意，其提示词和回答随请求加密保留的天数；0 表示不保留',
  AccessLog: '访问日志',
  'One log line per request': '每个请求记录一行日志',
  LogLevel: '日志级别',
  'Log level; empty uses LOG_LEVEL': '日志级别；留空则沿用 LOG_LEVEL',

  TopUpAmounts: '充值金额',
  'Amounts that users can pay with Stripe, in whole dollars, separated by spaces; empty accepts no payments':
    '用户可通过 Stripe 支付的金额，单位为整数美元，以空格分隔；留空则不接受付款',
  ResponseCacheMebibytes: '响应缓存大小',
  'Memory for cached answers, in MiB: per process, or with Redis per user and day; 0 caches none':
    '用于缓存并重复返回回答的内存：按每个进程计算，使用 Redis 时按每个用户每天计算；0 表示不缓存',
  ResponseCacheAcrossUsers: '跨用户共享响应缓存',
  'Return answers that one user paid for to other users who send exactly the same request, free of charge':
    '某个用户付费得到的回答，可以免费返回给提出完全相同请求的其他用户',
  FileMaxMebibytes: '单个文件大小上限',
  'Maximum file size at /v1/files, in MiB': '/v1/files 中单个文件的大小上限',
  UploadMaxMebibytes: '分片上传的文件大小上限',
  'Maximum size of files uploaded in parts at /v1/uploads, in MiB; 0 accepts none':
    '通过 /v1/uploads 分片上传的单个文件的大小上限；0 表示不接收',
  FilesPerUserMebibytes: '每个用户的文件总大小',
  'Maximum total size of a user’s files at /v1/files, in MiB; 0 accepts none':
    '每个用户在 /v1/files 中所有文件的总大小上限；0 表示不接收文件',
  KeptPerUserMebibytes: '每个用户的存储总大小',
  'Maximum total storage per user, in MiB: responses, conversations, files, batches, sessions, knowledge, chats, prompts and answers; 0 for no limit':
    '每个用户的存储总量上限：响应、对话、文件、批处理、会话、知识库、聊天、提示词和回答；0 表示不限',

  MsPlanModel: '规划模型',
  'Orchestration: model for planning; empty selects one automatically': '编排：用于规划的模型；留空则自动选择',
  MsEasyModel: '简单任务模型',
  'Orchestration: model for easy tasks; empty selects one automatically': '编排：用于简单任务的模型；留空则自动选择',
  MsMediumModel: '中等任务模型',
  'Orchestration: model for medium tasks; empty selects one automatically':
    '编排：用于中等难度任务的模型；留空则自动选择',
  MsHardModel: '困难任务模型',
  'Orchestration: model for hard tasks; empty selects one automatically': '编排：用于困难任务的模型；留空则自动选择',
  MsEmbeddingModel: '嵌入模型',
  'Orchestration: model for embeddings; empty selects one automatically':
    '编排：用于生成嵌入向量的模型；留空则自动选择',
  MsRerankModel: '重排序模型',
  'Orchestration: model for reranking; empty selects one automatically': '编排：用于重排序的模型；留空则自动选择',
  MsParallelRuns: '并行运行任务数',
  'Orchestration: maximum concurrent runs per user': '编排：每个用户可同时进行的运行任务数',
  McpApiKeys: '允许用 API 密钥访问 /mcp',
  'Accept API keys at /mcp; when off, only access tokens for that address are accepted':
    'API 密钥可以访问 /mcp；关闭后只能使用针对该地址的访问令牌',
  McpUserServers: '允许用户连接 MCP 服务器',
  'Allow users to connect their own MCP servers, for themselves only and for organisations they manage':
    '用户可以连接自己的 MCP 服务器，仅供本人使用，也可以为自己管理的组织连接',
  McpClientDocument: '以元数据文档标识 MCP 客户端',
  'Identify this service by its metadata document at /client-metadata.json to authorization servers of MCP servers that support it; when off, it registers with them instead, for example because they cannot reach it':
    'MCP 服务器的授权服务器若支持读取客户端元数据文档，则读取本服务位于 /client-metadata.json 的文档；如其无法访问本服务，请关闭，改为向其注册',
} as const;
