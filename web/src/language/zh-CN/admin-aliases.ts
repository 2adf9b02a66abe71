export default {
  'Another name for a model, or one name for a group of models, of which the first that can answers.':
    '为一个模型另取名称，或为一组模型取同一个名称，由其中第一个可用的模型响应。',
  'Add alias': '添加别名',
  'Add an alias': '添加别名',
  'Alias saved': '别名已保存',
  'No aliases yet': '还没有别名',
  'Programs that ask for an alias need no change when you choose another model behind it.':
    '程序使用别名后，更换其背后的模型时无需修改程序。',
  'Changed##when': '更改时间',
  'Who answers to {name}': '响应 {name} 的模型',
  'Delete alias': '删除别名',
  'Requests that ask for this name are refused from then on. Its models stay.':
    '此后使用该名称的请求会被拒绝，其指向的模型不受影响。',

  'What clients ask for as the model': '客户端请求时使用的模型名称',
  'Who would answer': '由谁响应',
  'The alias was not saved': '别名未保存',
  'Say what clients ask for.': '请填写客户端使用的名称。',
  'Names of models hold no spaces.': '模型名称不能包含空格。',
  'Choose at least one model.': '请至少选择一个模型。',
  'Ask {model} earlier': '将 {model} 前移',
  'Ask {model} later': '将 {model} 后移',
  'Leave out {model}': '移除 {model}',
  'Of several the first that can answers; the next is asked where one does not':
    '有多个模型时，由第一个可用的模型响应；未能响应时改用下一个',

  ready: '就绪',
  'being tested again': '正在重新探测',
  'Answers now': '当前响应',
  '{provider}: {state}': '{provider}：{state}',
  'Choose models to see which of them would answer.': '选择模型后可查看由哪个模型响应。',
  'No preview': '无法预览',
  '<model>{name}</model> has this name already and comes first: the alias would lead nowhere.':
    '<model>{name}</model> 已使用该名称且优先匹配，此别名不会生效。',
  'None of them could answer now.': '当前没有模型可以响应。',
} as const;
