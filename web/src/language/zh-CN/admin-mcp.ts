export default {
  'Servers connected over MCP. Of their tools, agents and models may use those that you allow.':
    '通过 MCP 连接的服务器。智能体和模型只能使用你允许的工具。',
  Servers: '服务器',
  Server: '服务器',
  'No servers yet': '还没有服务器',
  'Connect a server by its address. None of its tools is used before you allow it.':
    '通过地址连接服务器。在你允许之前，其工具不会被使用。',
  'Used by': '使用者',
  'User {id}, whose it is': '用户 {id}（所有者）',
  '{count, plural, one {# user} other {# users}}': '{count, plural, other {# 个用户}}',
  '{allowed} allowed{asking, plural, =0 {} one {, # asks first} other {, # ask first}}':
    '已允许 {allowed} 个{asking, plural, =0 {} other {，其中 # 个需先询问}}',

  'Begins the names of its tools, and stays': '作为其工具名称的前缀，创建后不可更改',
  'Of its Streamable HTTP endpoint': '其 Streamable HTTP 端点的地址',
  'Who may use it': '谁可以使用',
  Administrators: '管理员',
  'Some users': '指定用户',
  'How it is opened': '访问方式',
  'By its headers, or by nothing': '通过请求头，或无需验证',
  'Each user signs in to it': '由每个用户自行登录',
  'Time for a call': '调用时限',
  'Ids of users': '用户 ID',
  'As the page of users shows them': '可在用户页面查看',
  'A line each, such as Authorization: Bearer …; stored encrypted, never shown again':
    '每行一个，例如 Authorization: Bearer …；加密存储，不会再次显示',
  'The address changes: enter the headers again': '地址已更改：请重新输入请求头',
  'Stored: {names}. Empty keeps them': '已存储：{names}。留空则保持不变',
  'The server was not saved': '服务器未保存',
  'Use 1 to 24 lower-case letters, digits and hyphens.': '请使用 1 到 24 个小写字母、数字和连字符。',
  'A line each: Name: value': '每行一个，格式为 Name: value',
  'Enter the headers again for the new address.': '地址已更改，请重新输入请求头。',
  'Name at least one user.': '请至少填写一个用户。',
  'Ids of users, such as 7.': '请填写用户 ID，例如 7。',

  'Server saved': '服务器已保存',
  'Delete server': '删除服务器',
  'Server deleted': '服务器已删除',
  'Its headers and what you allowed of its tools are deleted with it. Runs that use them go on without.':
    '其请求头和工具授权会一并删除。正在使用这些工具的运行任务会继续，但不能再使用它们。',

  Connecting: '正在连接',
  'The server was not tested': '服务器未测试',
  'The server does not answer as it should': '服务器响应异常',
  '{server} {version} answered within {ms} ms. Models are told of a tool in the words below, as they are when you allow it.':
    '{server} {version} 在 {ms} 毫秒内作出响应。模型看到的工具说明即为下方文字，以你允许时的内容为准。',
  'The server lists more tools than are read. The rest cannot be used.':
    '服务器列出的工具数量超出读取上限，其余工具无法使用。',
  'The server lists no tools.': '服务器没有列出任何工具。',
  'The tools were not saved': '工具未保存',
  '{server}: {count, plural, one {# tool} other {# tools}} allowed':
    '{server}：已允许 {count, plural, other {# 个工具}}',
  Approved: '已批准',
  'No longer listed': '已不在列表中',
  'Cannot be offered: {problem}.': '无法提供：{problem}。',
  '{name} allowed': '允许 {name}',
  'Ask first': '先询问',
  '{name} asks first': '使用 {name} 前先询问',
  'Approve the change': '批准更改',
  'Approve the change of {name}': '批准 {name} 的更改',
  'Title, hints and results': '标题、提示与结果',
  '{field}: what changed since it was approved': '{field}：自批准以来的更改',
  '{field} of {tool}: what changed': '{tool} 的{field}：更改内容',

  'Who uses what': '使用情况',
  'Period of calls': '调用的时间范围',
  'Deleted user {id}': '已删除的用户 {id}',
  '{errors} of the last {sample}': '最近 {sample} 次中有 {errors} 次',
  'Average time': '平均耗时',
  'Last call': '最近调用',
  'No calls in these days': '所选日期内没有调用',
  'Calls that agents make over MCP, and those made by hand, are counted here.':
    '智能体通过 MCP 发起的调用以及手动调用均计入此处。',
  'Only the most called are shown. The usage log has all of them.': '仅显示调用最多的工具，完整记录见用量日志。',
} as const;
