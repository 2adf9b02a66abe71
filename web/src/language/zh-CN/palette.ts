export default {
  Pages: '页面',
  Results: '结果',
  'Search pages, models, keys and more': '搜索页面、模型、密钥等',
  'Pages, models, keys and more': '页面、模型、密钥等',
  'No matching results.': '没有匹配的结果。',
  'Go to': '前往',
} as const;
