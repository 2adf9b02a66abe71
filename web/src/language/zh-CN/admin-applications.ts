export default {
  'Every OAuth application. Verifying one tells users that you know who runs it.':
    '所有 OAuth 应用。验证应用即向用户表明你了解其运营者。',
  'Search applications': '搜索应用',
  'Name, owner or client id': '名称、所有者或客户端 ID',
  'None matches, or none is registered yet.': '没有符合条件的应用，或尚未注册任何应用。',
  'Nobody here': '无所有者',
  Verify: '验证',
  'Remove verification': '取消验证',
  'Limit calls': '限制调用',
  'Limit of {name}': '{name} 的限制',
  'Calls an hour': '每小时调用次数',
  'With tokens of this application, of all users together; leave empty for no limit':
    '使用此应用令牌的调用，所有用户合计；留空表示不限制',
  'The limit of {name} is saved': '{name} 的限制已保存',
  Suspend: '暂停',
  Activate: '恢复',
  '{name} is verified': '{name} 已验证',
  '{name} is not verified any more': '{name} 已取消验证',
  '{name} is suspended': '{name} 已暂停',
  '{name} is active again': '{name} 已恢复',
  'May ask for': '可请求的权限',
  'Suspend {name}?': '暂停 {name}？',
  'Its tokens stop working at once and nobody can sign in with it. When it is activated again, users are asked anew.':
    '其令牌会立即失效，任何人都无法再用它登录。恢复后，用户需要重新授权。',
} as const;
