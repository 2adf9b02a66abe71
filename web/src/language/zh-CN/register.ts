export default {
  'Use 3 to 32 letters, digits, dots, dashes or underscores.':
    '请使用 3 到 32 个字符，可包含字母、数字、点、短横线和下划线。',
  'Use at least 8 characters.': '请至少使用 8 个字符。',
  'Use at most 128 characters.': '请最多使用 128 个字符。',
  'Create your account': '创建账号',
  'Create account': '创建账号',
  'Could not create the account': '账号创建失败',
  'Already have one?': '已有账号？',
} as const;
