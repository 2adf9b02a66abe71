export default {
  'All OAuth applications. Verifying an application tells users that you know who runs it.':
    '所有 OAuth 应用。验证应用即向用户表明你了解其运营者。',
  'Search applications': '搜索应用',
  'Name, owner or client ID': '名称、所有者或客户端 ID',
  'No applications match, or none are registered yet.': '没有符合条件的应用，或尚未注册任何应用。',
  'No owner': '无所有者',
  Verify: '验证',
  'Remove verification': '取消验证',
  'Limit calls': '限制调用',
  'Call limit of {name}': '{name} 的限制',
  'Calls per hour': '每小时调用次数',
  'Calls with tokens of this application, all users combined; leave empty for no limit':
    '使用此应用令牌的调用，所有用户合计；留空表示不限制',
  'Call limit of {name} saved': '{name} 的限制已保存',
  Suspend: '暂停',
  Activate: '恢复',
  '{name} is verified': '{name} 已验证',
  '{name} is no longer verified': '{name} 已取消验证',
  '{name} is suspended': '{name} 已暂停',
  '{name} is active again': '{name} 已恢复',
  'Can request': '可请求的权限',
  'Suspend {name}?': '暂停 {name}？',
  'Its tokens stop working immediately and no one can sign in with it. After it is activated again, users must authorize it again.':
    '其令牌会立即失效，任何人都无法再用它登录。恢复后，用户需要重新授权。',
} as const;
