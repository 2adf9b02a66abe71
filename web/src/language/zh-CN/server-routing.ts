/** What the service says of its routing decisions, in parts that name nobody. */
export default {
  'nobody could be called': '没有可调用的提供商',
} as const;
