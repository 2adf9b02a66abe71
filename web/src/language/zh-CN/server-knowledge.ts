/** Why a file or an entry was not taken into the knowledge (server/src/orchestra/import, routes). */
export default {
  'The file contains no text. Check that it is the right file.': '文件中没有文本，请检查是否选对了文件。',
  'The file is a ZIP archive, as Office documents and e-books are. Save it as PDF or plain text and import that.':
    '文件是 ZIP 归档（Office 文档和电子书都是）。请另存为 PDF 或纯文本后再导入。',
  'The file is neither text nor PDF. Save it as PDF, Markdown or plain text and import that.':
    '文件既不是文本也不是 PDF。请另存为 PDF、Markdown 或纯文本后再导入。',
  'The text is not valid UTF-8 or UTF-16. Save it as UTF-8 and import it again.':
    '文本不是有效的 UTF-8 或 UTF-16。请另存为 UTF-8 后重新导入。',
  'The file is larger than {size} MiB. Split it and import the parts.': '文件超过 {size} MiB，请拆分后再导入。',
  'The file produces more than {most} passages. Split it and import the parts.':
    '文件会产生超过 {most} 个段落，请拆分后再导入。',
  'The PDF has more than {most} pages. Split it and import the parts.': 'PDF 超过 {most} 页，请拆分后再导入。',
  'Reading the file needs more memory than allowed. Save it as plain text, or split it and import the parts.':
    '读取文件所需的内存超出限制。请另存为纯文本，或拆分后再导入。',
  'The file took too long to read. Save it as plain text, or split it and import the parts.':
    '读取文件耗时过长。请另存为纯文本，或拆分后再导入。',
  'The PDF is protected by a password. Save a copy without one and import that.':
    'PDF 有密码保护。请另存一份无密码的副本后再导入。',
  'The PDF is damaged. Open it in a PDF reader, save it again and import that.':
    'PDF 已损坏。请用 PDF 阅读器打开并重新保存后再导入。',
  'The PDF contains no text; its pages seem to be images. Run text recognition (OCR) on it and import the result.':
    'PDF 中没有文本，页面可能是图片。请先进行文字识别（OCR），再导入结果。',
  'The file could not be read. Save it as plain text or print it to a new PDF and import that.':
    '无法读取文件。请另存为纯文本或打印为新的 PDF 后再导入。',
  'Rename the file: its name {fault}.': '请重命名文件：文件名{fault}。',
  'Send entries as application/json, files as multipart/form-data.':
    '条目请以 application/json 发送，文件请以 multipart/form-data 发送。',
  'at most {most} files at once': '一次最多 {most} 个文件',
  'Knowledge entry not found': '没有这个知识条目',
  'Source not found': '没有这个来源',
} as const;
