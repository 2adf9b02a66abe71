export default {
  'Your balance and all changes to it.': '你的余额，以及每一笔变动。',
  'Spent so far': '累计花费',
  Ledger: '账目',
  'Deducted by an administrator': '由管理员收回',
  'Added by an administrator': '由管理员发放',
  'Balance after': '变动后余额',
  'Copy request id {requestId}': '复制请求 ID {requestId}',
  'No balance changes yet': '余额还没有变动',
  'Credits you receive and requests that cost money are listed here, exact to the smallest unit.':
    '获得的额度和产生费用的请求都会逐笔列在这里，精确到最小单位。',
  'How to get more credits': '如何获得更多额度',
  'You can give credits to users under <users>Users</users>, and create codes for them under <codes>Codes and payments</codes>.':
    '你可以在<users>用户</users>中向用户发放额度，在<codes>兑换码与付款</codes>中为他们创建兑换码。',
  'Ask an administrator of this service to add credits to your account. Models without a price need no credits.':
    '请联系本服务的管理员，他们可以为你的账号增加额度。没有定价的模型无需额度。',

  'Top up': '充值',
  'You pay on a Stripe page. Credits are added as soon as the payment completes.':
    '在 Stripe 的页面上付款，付款完成后额度立即到账。',
  'The payment could not be started': '未能发起付款',
  'Pay {amount}': '支付 {amount}',
  'No payments': '暂无付款',
  'Your payments are listed here.': '你的付款会列在这里。',
  'Payment pending': '待付款',
  Paid: '已付款',
  'Partially refunded': '部分退款',
  Refunded: '已退款',
  Disputed: '有争议',
  'Not paid': '未付款',

  'Redeem a code': '使用兑换码',
  'Its value is added to your balance.': '对应的金额会计入你的余额。',
  'The code was not redeemed': '兑换失败',
  Redeem: '兑换',
  '{amount} added to your balance': '{amount} 已计入你的余额',

  'Spending limits': '支出限额',
  'Apply to all your keys, this app and the applications you allow to use models. Warnings are sent by email and shown here.':
    '涵盖你的所有密钥、本应用，以及你允许使用模型的应用。提醒会通过邮件发送，也会显示在这里。',
  'Limits could not be loaded': '无法加载限额',
  'No limits set. Requests continue until the balance is used up.': '未设置限额：余额用完之前，请求都会继续。',
  'Last warning {ago}: {percent} % of {amount}.': '上次提醒：{ago}，已用 {amount} 的 {percent}%。',
  'Set a limit': '设置限额',
  'Stops at limit': '到限停止',
  'Warns only': '仅提醒',
  '{used} of {amount} used': '已用 {used}，共 {amount}',
  'Warnings at {shares}. Resets {resetsAt}.': '用到 {shares} 时提醒。将于 {resetsAt} 重新计算。',
  'Warnings at {shares}.': '用到 {shares} 时提醒。',
  'Resets {resetsAt}.': '将于 {resetsAt} 重新计算。',
  'the {window, select, day {daily} week {weekly} month {monthly} other {total}} limit':
    '{window, select, day {每日} week {每周} month {每月} other {累计}}限额',
  'Usage of the {window, select, day {daily} week {weekly} month {monthly} other {total}} limit':
    '{window, select, day {每日} week {每周} month {每月} other {累计}}限额的使用情况',
  'Remove the {window, select, day {daily} week {weekly} month {monthly} other {total}} limit?':
    '移除{window, select, day {每日} week {每周} month {每月} other {累计}}限额？',
  'Its recorded usage is deleted; a new limit starts from zero.': '已用金额会被清除；重新设置的限额从零开始计算。',

  'Each week': '每周',
  'In dollars. Spending before the limit was set does not count.': '单位为美元。设置之前的花费不计入。',
  'Stop at the limit': '达到限额后停止',
  'Requests over the limit are rejected; when off, you are only warned':
    '开启后，超出限额的请求会被拒绝；关闭则仅提醒你',
  'Percentages of the limit, each reported once; leave empty for none': '限额的百分比，每个阈值提醒一次；留空则不提醒',
  'Enter at most 20 percentages from 0.1 to 100, separated by commas':
    '请输入最多 20 个 0.1 到 100 之间的百分比，用逗号分隔',
  'Limit set': '限额已设置',
  'The limit was not set': '限额未设置',

  'Limit settings': '限额的计算与提醒',
  'Days, weeks and months start in this time zone. Yours seems to be {zone}.':
    '日、周、月的起点以此时区为准。你所在的时区似乎是 {zone}。',
  'Signed warnings are also sent to this address; leave empty for none': '提醒也会带签名推送到该地址；留空则不推送',
  'Secret (shown only once)': '密钥（仅显示这一次）',
  'Generate new signing secret': '生成新的签名密钥',
  'Nothing was saved': '未保存任何更改',
} as const;
