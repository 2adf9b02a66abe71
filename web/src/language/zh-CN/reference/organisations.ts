/** Organisations, their teams, keys, budgets and limits. */
export default {
  'Organisations that I am in': '我所在的组织',
  'Make an organisation; whoever makes it owns it': '创建组织；创建者即为所有者',
  'An organisation that I am in': '我所在的某个组织',
  'Change an organisation; a new time zone begins no window of a budget anew':
    '修改组织；更改时区不会让预算周期重新开始',
  'Delete an organisation; its keys and applications end with it': '删除组织；其密钥和应用随之失效',
  'A new secret that warnings are signed with; it is shown once': '生成用于签名提醒的新密钥；仅显示一次',
  'Teams of an organisation': '组织的团队',
  'Make a team': '创建团队',
  'Rename a team': '重命名团队',
  'Delete a team; its keys, budgets and limits end with it, its members stay in the organisation':
    '删除团队；其密钥、预算和限制随之失效，成员仍留在组织中',
  'Put a member into a team; one may be in several': '将成员加入团队；一人可属于多个团队',
  'Take a member out of a team; keys of their own in it end, those of the team stay':
    '将成员移出团队；其个人密钥失效，团队的密钥保留',
  'Members of an organisation, their roles and teams': '组织的成员及其角色和团队',
  'Change the role of a member': '修改成员的角色',
  'End a membership, or one’s own; keys of their own in the organisation end with it':
    '移除成员或自己退出；其在组织中的个人密钥随之失效',
  'Invitations that are open': '待接受的邀请',
  'Invite somebody, by mail or by a link to hand over; it works once, for 7 days':
    '通过邮件或链接邀请他人；链接 7 天内有效，只能使用一次',
  'Take an invitation back': '撤回邀请',
  'What the secret of a link invites to': '查询链接中的密钥对应的邀请',
  'Join the organisation that the secret of a link invites to': '用链接中的密钥加入组织',
  'API keys of an organisation, masked: all, or one’s own, by role':
    '组织的 API 密钥（已遮盖）：按角色显示全部或仅自己的',
  'Create an API key of one’s own or of a team; the full key is shown once':
    '创建自己或团队的 API 密钥；完整密钥仅显示一次',
  'Change an API key of an organisation, or move it to another team': '修改组织的 API 密钥，或移至其他团队',
  'Delete an API key of an organisation': '删除组织的 API 密钥',
  'Give an API key of an organisation a new secret, which is shown once; the old one goes on for a while':
    '为组织的 API 密钥更换密钥值，仅显示一次；旧值在一段时间内仍可用',
  'End the secret that an API key of an organisation had before it was rotated': '停用组织的 API 密钥轮换前的密钥值',
  'Applications that belong to teams of an organisation': '属于组织各团队的应用',
  'Budgets of an organisation, and what is used of them; for members those that they stand under':
    '组织的预算及已用金额；普通成员只能看到对自己生效的预算',
  'Set a budget for a level and a window; what was spent before it was set does not count':
    '为某一层级和周期设置预算；设置之前的支出不计入',
  'Change a budget; what was used in its window stays used': '修改预算；本周期已用金额保持不变',
  'Delete a budget': '删除预算',
  'What each level allows besides money: requests and tokens a minute, models, providers; for members what they stand under':
    '各层级除金额以外的限制：每分钟请求数和 token 数、模型、提供商；普通成员只能看到对自己生效的限制',
  'Set the limits of a level': '设置某一层级的限制',
  'Take the limits of a level away': '取消某一层级的限制',
  'Shares of budgets that were reached, the newest 200 first': '已达到的预算阈值，最近 200 条，最新的在前',
  'Requests at a level, newest first; members see those of their own keys; `format=csv` for a file':
    '某一层级的请求，最新的在前；普通成员只能看到自己密钥的请求；`format=csv` 返回文件',
  'Where requests at a level went and why, newest first': '某一层级的请求去向及原因，最新的在前',
  'Usage at a level added up per day (UTC), model or API key; members see that of their own keys':
    '某一层级的用量汇总，按日（UTC）、模型或 API 密钥；普通成员只能看到自己密钥的用量',
  'Who changed what in the organisation, newest first': '组织内的变更记录，最新的在前',
  'For the books: what each team, member or key used in a month, by parts, as CSV':
    '用于记账：每个团队、成员或密钥当月的用量明细，CSV 格式',
  'Keys of a team’s own for providers, masked': '团队自有的提供商密钥（已遮盖）',
  'Bring a key of a team’s own for a provider: requests for the team go out with that key first':
    '添加团队自有的提供商密钥：团队的请求优先使用该密钥',
  'Change a key of a team’s own; fields not given stay': '修改团队自有的密钥；未给出的字段保持不变',
  'Remove a key of a team’s own': '移除团队自有的密钥',
  'Ask the provider something tiny with a key of a team’s own': '用团队自有的密钥向提供商发送一个极小的请求',

  'Where a directory says over SCIM who is in an organisation, and with which tokens':
    '目录通过 SCIM 告知组织成员的地址及所用令牌',
  'A token for a directory; it is shown once': '为目录创建令牌；仅显示一次',
  'Remove a token; a directory that shows it is refused at once': '移除令牌；使用该令牌的目录将立即被拒绝',
  'Organisations whose directories mean me by my verified address, and that I have not joined':
    '其目录以我已验证的邮箱地址登记了我、而我尚未加入的组织',
  'Join an organisation whose directory means me': '加入其目录登记了我的组织',
  'What there is of SCIM': '支持的 SCIM 功能',
  'Users and groups': '用户与组',
  'Users and groups: one of them': '用户与组：其中之一',
  'What users and groups are made of': '用户与组的结构',
  'What users and groups are made of: one of them': '用户与组的结构：其中之一',
  'People that the directory speaks of': '目录登记的人员',
  'Say that somebody belongs to the organisation; they join when they come themselves':
    '登记某人属于该组织；本人自行加入后才成为成员',
  'One of them': '其中一人',
  'Say anew all that there is to say of somebody; without `active` that stays':
    '重新写入某人的全部资料；未给出 `active` 时保持不变',
  'Change somebody; whoever is not `active` is out of the organisation at once, and keeps their account':
    '更改某人；`active` 为假者立即退出组织，但保留账号',
  'Somebody belongs to the organisation no more; they keep their account': '某人不再属于该组织；其账号保留',
  'Teams, and whom the directory wants in them': '团队及目录指定的成员',
  'A team, and whom the directory wants in it': '一个团队及目录指定的成员',
  'Say anew how a team is called and who is in it': '重新写入团队的名称和成员',
  'Change how a team is called, or who is in it': '更改团队的名称或成员',
  'To the minute; null for never': '精确到分钟；从未使用时为 null',
  'That the directory speaks of': '目录登记的人数',
  'How many of them are members': '其中已是成员的人数',
  'Whether the company’s directory speaks of them': '公司目录是否登记了此人',
  'A token of an organisation for its directory, svcscim_…': '组织为其目录创建的令牌，svcscim_…',
  'Budget days, weeks and months start in this time zone': '预算的日、周、月按此时区开始',
  '`own`: each member pays; `shared`: the organisation’s account does': '`own`：由各成员支付；`shared`：由组织账户支付',
  'Where the link is mailed to; without one it is in the answer': '接收链接的邮箱；不填则在响应中返回链接',
  'A key of a team stays when whoever made it leaves': '创建者离开后，团队的密钥仍然保留',
  'Moves it; what runs is charged where it was taken from': '移动密钥；正在进行的请求仍计入原处',
  'In quota units (500,000 = 1 USD)': '以额度单位计（500,000 = 1 美元）',
  'Refuses what goes beyond; else it is only told of': '超出时拒绝；否则仅提醒',
  'Shares of the amount that are told of, each once in a window': '在达到哪些比例时提醒，每个周期各一次',
  'Of the organisation, the team, the user or the key': '组织、团队、用户或密钥的 ID',
  'Begins by the time zone of the organisation; weeks on Monday': '按组织的时区开始；每周从周一开始',
  '0 for no limit': '0 表示不限',
  '0 for no limit; counted when they are known': '0 表示不限；在数量已知时计入',
  'Empty for all': '留空表示全部',
  'Of the team, the user or the key': '团队、用户或密钥的 ID',
  'Of the organisation’s calendar, in place of from and to': '按组织的日历，用来代替 from 和 to',
  'Of the organisation’s calendar': '按组织的日历',
  'What each line is of': '每一行对应的对象',
  'A line for each that used something': '每个有用量的对象一行',
  'Share of a model’s price that requests with them cost; null: they are not used here':
    '使用自有密钥的请求按模型价格的多少比例收费；null 表示此处不使用自有密钥',
  'That serve models which you may use': '提供你可用模型的提供商',
  'Whether others may be asked, at their price, where this key does not help; else it answers or nobody':
    '此密钥不可用时，是否可以改用其他渠道并按其价格收费；否则仅使用此密钥',
  'Of whoever asks': '当前调用者的角色',
  'The user that stands for the organisation: administrators give credits to it': '代表组织的用户：管理员向其发放额度',
  'What is in the balance of the account, in quota units; null where your role does not see it':
    '账户余额，以额度单位计；你的角色无权查看时为 null',
  'Ids of the teams they are in': '所在团队的 ID',
  'Charged in the month that is open': '本月已计费金额',
  'When the next month begins, UTC': '下个月的开始时间（UTC）',
  'As it was called when it was given to the team': '交给团队时的名称',
  'Charged in the window that is open': '本周期已计费金额',
  'When the next window begins; null for one in all': '下个周期的开始时间；总额预算为 null',
  'What is kept for the keys that an organisation pays for, in bytes': '由组织付费的密钥的存储占用（字节）',
  'Delete all responses and conversations of keys that an organisation pays for':
    '删除由组织付费的密钥的所有响应和对话',
} as const;
