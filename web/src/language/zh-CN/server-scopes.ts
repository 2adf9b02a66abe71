/** Texts of the service about access requests: resources that tokens are issued for, and its own tools. */
export default {
  'Your account': '你的账号',
  'Models, as with your API keys': '模型，与使用你的 API 密钥相同',
  'Models, knowledge, runs and videos, as tools': '以工具形式使用模型、知识库、运行任务和视频',
  'Tools of connected servers': '已连接服务器的工具',

  'Lists the models that can be called.': '列出可以调用的模型。',
  'Asks a model one question and returns its answer. Charged at the model’s price.':
    '向模型提一个问题并返回回答，按模型价格计费。',
  'Searches what is stored for the user, by keywords and by meaning.': '按关键词和语义搜索为用户保存的内容。',
  'Stores something for the user, to be found by search_knowledge and used by runs.':
    '为用户保存内容，供 search_knowledge 查找并供运行任务使用。',
  'Starts a run that works on a goal autonomously, and returns its session_id immediately. Charged at the price of the models it uses.':
    '启动一个自主完成目标的运行任务，并立即返回其 session_id，按所用模型的价格计费。',
  'Returns the status of a run, and its result if it has one.': '查询运行任务的进度，如已有结果则一并返回。',
  'Resumes a run that is paused or was stopped, with instructions that apply to all further steps.':
    '让暂停或已停止的运行任务继续，并附上对后续全部步骤生效的指令。',
  'Stops a run. Its finished work is kept, and steer_run can resume it from there.':
    '停止运行任务。已完成的部分会保留，可用 steer_run 从该处继续。',
  'Starts generating a video, and returns its id immediately. Charged at the model’s price.':
    '开始生成视频，并立即返回其 ID，按模型价格计费。',
  'Returns the status of a video, and its address when it is ready.': '查询视频的生成进度，生成完成后返回其地址。',
  'Sums up the user’s usage and cost per day, model or API key.': '按天、模型或 API 密钥汇总用户的用量和费用。',
} as const;
