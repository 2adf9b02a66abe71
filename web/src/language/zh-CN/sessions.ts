export default {
  'Conversations with the orchestration model. Send the same <code>svc_ms.session_id</code> to keep the context.':
    '与编排模型的对话。发送相同的 <code>svc_ms.session_id</code> 即可延续上下文。',
  Tag: '标签',
  Tags: '标签',
  'Filter by tag': '按标签筛选',
  Messages: '消息数',
  'Copy session id {id}': '复制会话 ID {id}',
  'Plan under way': '计划进行中',
  Open: '打开',
  'Sessions tagged {tag}': '标签为 {tag} 的会话',
  'No session is tagged “{tag}”': '没有标签为“{tag}”的会话',
  'Show all sessions': '显示所有会话',
  'No sessions yet': '还没有会话',
  'A session begins with the first message to <model>svc/svc-ms</model>, from your own program or in the playground.':
    '在你自己的程序或操练场中，向 <model>svc/svc-ms</model> 发送第一条消息，会话就开始了。',

  'Leave empty to get one made; an id you have already opens that session':
    '留空则自动生成；填写已有的 ID 会打开对应会话',
  'To find it again; press Enter after each': '便于以后查找；每输入一个后按 Enter',
  'The session was not created': '未能创建会话',
  'Create session': '创建会话',

  'All sessions': '所有会话',
  'The session could not be opened': '无法打开该会话',
  'Continue in the playground': '在操练场中继续',
  Summary: '摘要',
  'None yet. When the history grows, its older part is summarised, so that later turns stay short.':
    '暂无。历史记录变长后，较早的部分会被整理为摘要，让后续对话保持精简。',
  'Active plan': '进行中的计划',
  abandoned: '已放弃',
  'after {tasks}': '前置任务：{tasks}',

  History: '历史记录',
  'The history could not be loaded': '无法加载历史记录',
  'Nothing was said yet': '还没有消息',
  'Its first message opens it.': '发送第一条消息后，对话即开始。',
  'Earlier messages': '更早的消息',
  'Later messages': '更新的消息',
  'You##role': '你',
  'System##role': '系统',
  Developer: '开发者',
  'Tool result': '工具结果',
  '{role} message': '{role}的消息',
  '{tokens, plural, one {# token} other {# tokens}} · {when}': '{tokens, number} 个 token · {when}',
  'image url': '图片',
  'input audio': '音频',
  'video url': '视频',
  file: '文件',
  part: '内容片段',

  'Delete this session?': '删除此会话？',
  'Delete session': '删除会话',
  'Session deleted': '会话已删除',
  'The messages, summaries, plans and runs of <b>{id}</b> are deleted for good. What it added to your knowledge stays.':
    '<b>{id}</b> 的消息、摘要、计划和运行任务将被永久删除。它添加到知识库的内容会保留。',
} as const;
