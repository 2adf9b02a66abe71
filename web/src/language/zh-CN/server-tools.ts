/** Arguments of the service's own tools (server/src/agents/tool-table.ts), and what can be wrong with a call of one. */
export default {
  'The session_id returned by start_run': 'start_run 返回的 session_id',
  'A model id as returned by list_models': '使用 list_models 列出的名称',
  'How the model should answer': '模型应如何回答',
  'For example fact, preference, decision': '例如 fact、preference、decision',
  'In dollars; the run pauses when it is reached': '单位为美元：达到后运行任务将暂停',
  'The checkpoint_id returned by follow_run or stop_run': '使用 follow_run 或 stop_run 返回的名称',
  'In seconds': '单位为秒',
  'For example 1280x720': '例如 1280x720',
  'The id returned by make_video': 'make_video 返回的值',
  'Unix seconds': 'Unix 时间戳（秒）',
  'there is no tool {name}': '没有工具 {name}',
} as const;
