export default {
  'Give a model another name, or group several models under one name. The first available model answers.':
    '为一个模型另取名称，或为一组模型取同一个名称，由其中第一个可用的模型响应。',
  'Add alias': '添加别名',
  'Add an alias': '添加别名',
  'Alias saved': '别名已保存',
  'No aliases yet': '还没有别名',
  'Clients that use an alias need no change when you point it at another model.':
    '程序使用别名后，更换其背后的模型时无需修改程序。',
  'Changed##when': '更改时间',
  'Models behind {name}': '响应 {name} 的模型',
  'Delete alias': '删除别名',
  'Requests that use this name will be rejected. Its models are not affected.':
    '此后使用该名称的请求会被拒绝，其指向的模型不受影响。',

  'The model name that clients send': '客户端请求时使用的模型名称',
  'Which model answers': '由谁响应',
  'The alias was not saved': '别名未保存',
  'Enter the name that clients use.': '请填写客户端使用的名称。',
  'Model names cannot contain spaces.': '模型名称不能包含空格。',
  'Choose at least one model.': '请至少选择一个模型。',
  'Move {model} up': '将 {model} 前移',
  'Move {model} down': '将 {model} 后移',
  'Remove {model}': '移除 {model}',
  'The first available model answers; if it fails, the next one is tried':
    '有多个模型时，由第一个可用的模型响应；未能响应时改用下一个',

  ready: '就绪',
  'being tested again': '正在重新探测',
  'Answers now': '当前响应',
  '{provider}: {state}': '{provider}：{state}',
  'Choose models to see which one would answer.': '选择模型后可查看由哪个模型响应。',
  'Preview unavailable': '无法预览',
  '<model>{name}</model> already has this name and takes precedence, so the alias would have no effect.':
    '<model>{name}</model> 已使用该名称且优先匹配，此别名不会生效。',
  'None of these models is available right now.': '当前没有模型可以响应。',
} as const;
