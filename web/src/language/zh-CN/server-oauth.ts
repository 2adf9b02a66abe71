/** Why an application is refused, on the pages where people are asked for access, and where they describe theirs. */
export default {
  'At most {most} scopes can refer to tools.': '最多 {most} 个权限范围可以指定工具。',
  'The scope {scope} is not allowed for this application.': '此应用不能使用权限范围 {scope}。',
  'scopes: specify at least one scope.': 'scopes：至少填写一个权限范围。',
  'scopes: {scope} is not a scope of this service.': 'scopes：{scope} 不是本服务的权限范围。',
  'The access token is invalid, expired or revoked.': '访问令牌无效、已过期或已撤销。',
  'The access token is not valid for {address}.': '访问令牌不适用于 {address}。',
  'This call requires the scope {scope}.': '此调用需要权限范围 {scope}。',
  'This application is limited to {limit} calls per hour.': '此应用每小时最多调用 {limit} 次。',
  'spending_limit is required: the maximum amount the application may spend.':
    '缺少 spending_limit：应用最多可花费的金额。',

  'prompt must be none.': 'prompt 必须是 none。',
  'redirect_uri is not registered for this application.': 'redirect_uri 未在此应用中登记。',
  'response_type must be code.': 'response_type 必须是 code。',
  'code_challenge is required for public clients.': '公开客户端必须提供 code_challenge。',
  'code_challenge_method requires code_challenge.': '提供了 code_challenge_method，但缺少 code_challenge。',
  'code_challenge_method must be S256 or plain.': 'code_challenge_method 必须是 S256 或 plain。',
  'code_challenge must be 43-128 characters from A-Z a-z 0-9 - . _ ~':
    'code_challenge 必须是 43 到 128 个字符，可用 A-Z a-z 0-9 - . _ ~',
  'request_uri is unknown, already used or expired.': 'request_uri 不存在、已使用或已过期。',
  'answer is invalid or expired.': 'answer 无效或已过期。',
  '{field} is not supported.': '不支持 {field}。',
  'response_mode must be query or form_post.': 'response_mode 必须是 query 或 form_post。',
  'response_mode form_post requires an https or http redirect_uri.':
    'response_mode 为 form_post 时，redirect_uri 必须是 https 或 http 地址。',
  'must be none alone, or must not include none': '只能单独为 none，或不包含 none',
  'must be the SHA-256 thumbprint of a key': '必须是密钥的 SHA-256 指纹',
  'At most {most} resources can be requested.': '最多指定 {most} 个 resource。',
  'resource must be the URL of a resource on this server.': 'resource 必须是本服务器资源的地址。',
  'The scope {scope} requires the URL of its server, or /mcp, as resource.':
    '权限范围 {scope} 需要以其服务器地址或 /mcp 作为 resource。',
  'client_id and id_token_hint refer to different applications.': 'client_id 与 id_token_hint 指向不同的应用。',
  'post_logout_redirect_uri is not registered for this application.': 'post_logout_redirect_uri 未在此应用中登记。',
  'either jwks or jwks_uri is required to identify the signing keys': '必须用它或 jwks_uri 之一说明签名所用的密钥',
  'must be a JSON Web Key Set: an object with a keys array': '必须是 JSON Web Key Set，即带有 keys 列表的对象',
  'must contain public keys only; keep private keys to yourself': '只能包含公钥，私钥请自行保管',
  'must contain a key for signatures with {algorithms}': '必须包含可用于 {algorithms} 签名的密钥',
  'must contain at most {most} keys': '最多包含 {most} 个密钥',
  'Specify jwks or jwks_uri, not both.': 'jwks 与 jwks_uri 只能填写其一。',
  'A public client cannot have keys. Make it confidential.': '公开客户端没有密钥，请先改为机密客户端。',
  'This client authenticates with its keys. Remove them to use a secret.':
    '此客户端通过其密钥对证明身份。要使用客户端密钥，请先移除密钥对。',
  'The code could not be created. Try again soon.': '未能生成代码，请稍后重试。',

  'Too many client documents are being requested. Try again in {seconds} s.':
    '客户端文档请求过多，请在 {seconds} 秒后重试。',
  'The document at client_id {fault}.': 'client_id 处的文档{fault}。',
  'has an address that is not allowed': '的地址不允许访问',
  'did not load within {seconds} s': '未在 {seconds} 秒内返回',
  'did not load': '未返回',
  'could not be reached': '无法访问',
  'redirects elsewhere, and redirects are not followed': '重定向到了别处，不予跟随',
  'returned status {status}': '返回状态 {status}',
  'is larger than {size} KiB': '超过 {size} KiB',
  'is not JSON': '不是 JSON',
  'is not a JSON object': '不是 JSON 对象',
  'has a different client_id': '声明的是另一个 client_id',
  'must not contain a secret': '不能包含密钥',
  'must have none or private_key_jwt as token_endpoint_auth_method':
    '的 token_endpoint_auth_method 必须是 none 或 private_key_jwt',
  'is invalid: {more}': '有误：{more}',

  'See your basic account information: username, display name, picture and role':
    '查看你的基本账号信息：用户名、显示名称、头像和角色',
  'See your email address': '查看你的邮箱地址',
  'See your group and when you joined, and change your display name and picture':
    '查看你的分组和加入时间，并更改显示名称和头像',
  'List your API tokens': '查看你的 API 令牌列表',
  'Create and delete API tokens for you': '为你创建和删除 API 令牌',
  'See your balance and usage': '查看你的余额和用量',
  'Use models on your behalf and pay with your balance, up to a limit that you set; see your files, responses and videos':
    '以你的名义使用模型并从你的余额付款，不超过你设置的限额；查看你的文件、响应和视频',
  'Use the tools of {server} on your behalf': '以你的名义使用 {server} 的工具',
  'Use the tool {tool} of {server} on your behalf': '以你的名义使用 {server} 的工具 {tool}',
} as const;
