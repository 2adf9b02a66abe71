/** Organisations, their teams, keys, budgets and limits. */
export default {
  'List your organisations': '我所在的组织',
  'Create an organisation; its creator becomes the owner': '创建组织；创建者即为所有者',
  'Get one of your organisations': '我所在的某个组织',
  'Update an organisation; a new time zone does not restart budget windows': '修改组织；更改时区不会让预算周期重新开始',
  'Delete an organisation; its keys and applications stop working': '删除组织；其密钥和应用随之失效',
  'Create a new secret for signing the organisation’s alerts; shown only once': '生成用于签名提醒的新密钥；仅显示一次',
  'List the teams of an organisation': '组织的团队',
  'Create a team': '创建团队',
  'Rename a team': '重命名团队',
  'Delete a team with its keys, budgets and limits; its members stay in the organisation':
    '删除团队；其密钥、预算和限制随之失效，成员仍留在组织中',
  'Add a member to a team; members can be in several teams': '将成员加入团队；一人可属于多个团队',
  'Remove a member from a team; their own keys in it stop working, the team’s keys stay':
    '将成员移出团队；其个人密钥失效，团队的密钥保留',
  'List the members of an organisation with their roles and teams': '组织的成员及其角色和团队',
  'Update the role of a member': '修改成员的角色',
  'Remove a member, or leave the organisation; the member’s own keys in it stop working':
    '移除成员或自己退出；其在组织中的个人密钥随之失效',
  'List pending invitations': '待接受的邀请',
  'Invite a person by email or with a link to share; the link works once and expires after 7 days':
    '通过邮件或链接邀请他人；链接 7 天内有效，只能使用一次',
  'Revoke an invitation': '撤回邀请',
  'Get the invitation for the secret from a link': '查询链接中的密钥对应的邀请',
  'Accept an invitation with the secret from a link': '用链接中的密钥加入组织',
  'List the API keys of an organisation, masked: all or only your own, depending on your role; 5,000 at once':
    '组织的 API 密钥（已遮盖）：按角色显示全部或仅自己的；每次 5,000 个',
  '`next_cursor` of the previous part': '上一部分的 `next_cursor`',
  'Create an API key for yourself or for a team; the full key is shown only once':
    '创建自己或团队的 API 密钥；完整密钥仅显示一次',
  'Update an API key of an organisation, or move it to another team': '修改组织的 API 密钥，或移至其他团队',
  'Delete an API key of an organisation': '删除组织的 API 密钥',
  'Rotate an API key of an organisation; the new secret is shown only once, and the old one keeps working for a while':
    '为组织的 API 密钥更换密钥值，仅显示一次；旧值在一段时间内仍可用',
  'Revoke the previous secret of a rotated API key of an organisation': '停用组织的 API 密钥轮换前的密钥值',
  'List the applications that belong to teams of an organisation': '属于组织各团队的应用',
  'List the budgets of an organisation with their usage; members see only budgets that apply to them':
    '组织的预算及已用金额；普通成员只能看到对自己生效的预算',
  'Create a budget for a level and a window; earlier spending does not count':
    '为某一层级和周期设置预算；设置之前的支出不计入',
  'Update a budget; usage in the current window is kept': '修改预算；本周期已用金额保持不变',
  'Delete a budget': '删除预算',
  'List the limits of each level: requests and tokens per minute, models, providers; members see only limits that apply to them':
    '各层级除金额以外的限制：每分钟请求数和 token 数、模型、提供商；普通成员只能看到对自己生效的限制',
  'Set the limits of a level': '设置某一层级的限制',
  'Remove the limits of a level': '取消某一层级的限制',
  'List the 200 latest budget alerts, newest first': '已达到的预算阈值，最近 200 条，最新的在前',
  'List the requests at a level, newest first; members see only those of their own keys; `format=csv` returns a file':
    '某一层级的请求，最新的在前；普通成员只能看到自己密钥的请求；`format=csv` 返回文件',
  'List the routing decisions for requests at a level, newest first': '某一层级的请求去向及原因，最新的在前',
  'Get the usage at a level in whole days (UTC) by day, model or API key; members see only usage of their own keys':
    '某一层级的用量汇总，以整日（UTC）计，按日、模型或 API 密钥；普通成员只能看到自己密钥的用量',
  'List the audit log of an organisation, newest first': '组织内的变更记录，最新的在前',
  'Export the monthly usage of each team, member or key for accounting, itemised, as CSV':
    '用于记账：每个团队、成员或密钥当月的用量明细，CSV 格式',
  'List a team’s own provider keys, masked': '团队自有的提供商密钥（已遮盖）',
  'Add a team’s own provider key; requests of the team use it first':
    '添加团队自有的提供商密钥：团队的请求优先使用该密钥',
  'Update a team’s own provider key; omitted fields stay unchanged': '修改团队自有的密钥；未给出的字段保持不变',
  'Remove a team’s own provider key': '移除团队自有的密钥',
  'Test a team’s own provider key with a minimal request': '用团队自有的密钥向提供商发送一个极小的请求',

  'Get the SCIM address and tokens for an organisation’s directory': '目录通过 SCIM 告知组织成员的地址及所用令牌',
  'Create a SCIM token for a directory; shown only once': '为目录创建令牌；仅显示一次',
  'Delete a SCIM token; a directory that uses it is rejected immediately': '移除令牌；使用该令牌的目录将立即被拒绝',
  'List the organisations whose directory lists your verified address and that you have not joined':
    '其目录以我已验证的邮箱地址登记了我、而我尚未加入的组织',
  'Join an organisation whose directory lists you': '加入其目录登记了我的组织',
  'Get the supported SCIM features': '支持的 SCIM 功能',
  'List the SCIM resource types': '用户与组',
  'Get a SCIM resource type': '用户与组：其中之一',
  'List the SCIM schemas of users and groups': '用户与组的结构',
  'Get a SCIM schema': '用户与组的结构：其中之一',
  'List the people in the directory': '目录登记的人员',
  'Add a person to the organisation’s directory; they become a member when they join themselves':
    '登记某人属于该组织；本人自行加入后才成为成员',
  'Get a person in the directory': '其中一人',
  'Replace a person’s data; without `active`, their status stays unchanged':
    '重新写入某人的全部资料；未给出 `active` 时保持不变',
  'Update a person; if `active` becomes false, they leave the organisation immediately and keep their account':
    '更改某人；`active` 为假者立即退出组织，但保留账号',
  'Remove a person from the organisation; they keep their account': '某人不再属于该组织；其账号保留',
  'List the teams and the members that the directory assigns to them': '团队及目录指定的成员',
  'Get a team and the members that the directory assigns to it': '一个团队及目录指定的成员',
  'Replace the name and members of a team': '重新写入团队的名称和成员',
  'Update the name or members of a team': '更改团队的名称或成员',
  'Time of last use, to the minute; null if never used': '精确到分钟；从未使用时为 null',
  'Number of people in the directory': '目录登记的人数',
  'Number of them who are members': '其中已是成员的人数',
  'Whether the company’s directory lists the member': '公司目录是否登记了此人',
  'SCIM token of an organisation’s directory, svcscim_…': '组织为其目录创建的令牌，svcscim_…',
  'Budget days, weeks and months start in this time zone': '预算的日、周、月按此时区开始',
  '`own`: each member pays; `shared`: the organisation’s account pays': '`own`：由各成员支付；`shared`：由组织账户支付',
  'Email address to send the link to; without one, the link is returned in the response':
    '接收链接的邮箱；不填则在响应中返回链接',
  'A team key stays when its creator leaves': '创建者离开后，团队的密钥仍然保留',
  'Moves the key to this team; requests in progress are charged to the previous team':
    '移动密钥；正在进行的请求仍计入原处',
  'In quota units (500,000 = 1 USD)': '以额度单位计（500,000 = 1 美元）',
  'Whether requests beyond the amount are rejected; otherwise only alerts are sent': '超出时拒绝；否则仅提醒',
  'Alert thresholds as shares of the amount; each alerts once per window': '在达到哪些比例时提醒，每个周期各一次',
  'ID of the organisation, team, user or key': '组织、团队、用户或密钥的 ID',
  'Windows start in the organisation’s time zone; weeks on Monday': '按组织的时区开始；每周从周一开始',
  '0 for no limit': '0 表示不限',
  '0 for no limit; tokens are counted once their number is known': '0 表示不限；在数量已知时计入',
  'Empty for all': '留空表示全部',
  'ID of the team, user or key': '团队、用户或密钥的 ID',
  'Month in the organisation’s time zone, instead of from and to': '按组织的日历，用来代替 from 和 to',
  'Month in the organisation’s time zone': '按组织的日历',
  'What each line stands for': '每一行对应的对象',
  'One line for each that has usage': '每个有用量的对象一行',
  'Fee for requests with own keys, as a share of the model’s price; null if own keys are turned off':
    '使用自有密钥的请求按模型价格的多少比例收费；null 表示此处不使用自有密钥',
  'Providers that serve models you may use': '提供你可用模型的提供商',
  'Whether other channels may be used, at their price, if this key fails; otherwise only this key is used':
    '此密钥不可用时，是否可以改用其他渠道并按其价格收费；否则仅使用此密钥',
  'Role of the caller': '当前调用者的角色',
  'User that represents the organisation; administrators give credits to it': '代表组织的用户：管理员向其发放额度',
  'Balance of the account, in quota units; null if your role may not see it':
    '账户余额，以额度单位计；你的角色无权查看时为 null',
  'IDs of the member’s teams': '所在团队的 ID',
  'Amount charged this month': '本月已计费金额',
  'Start of the next month, UTC': '下个月的开始时间（UTC）',
  'Name of the application when it was transferred to the team': '交给团队时的名称',
  'Amount charged in the current window': '本周期已计费金额',
  'Start of the next window; null for a total': '下个周期的开始时间；总额预算为 null',
  'Get the storage usage of the keys that an organisation pays for, in bytes': '由组织付费的密钥的存储占用（字节）',
  'Delete all responses and conversations of keys that an organisation pays for':
    '删除由组织付费的密钥的所有响应和对话',
} as const;
