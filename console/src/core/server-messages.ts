/**
 * What the server says when it refuses what the console asked for. The API promises its clients these words, most of
 * them Chinese; whoever reads the console in English reads these instead.
 */
export const IN_ENGLISH: Readonly<Record<string, string>> = {
  '请求次数过多，请稍后再试！': 'Too many requests. Please try again later.',
  '服务器内部错误，请联系管理员！':
    'The server met an internal error. Please contact the administrator.',
  '服务暂时不可用，请稍后重试':
    'The service is unavailable for the moment. Please try again later.',
  '操作结果未知：可能已经生效，请刷新确认后再决定是否重试':
    'Whether this took effect is unknown. Reload and look before you try again.',
  '本站仅作演示之用，无服务端！': 'This site is a demonstration only; nothing can be changed here.',
  无效的参数: 'The request has an invalid value.',
  无效的请求: 'The request is invalid.',
  '无效的请求：请求头 Origin 与 Host 不一致。如使用反向代理，请让其转发 Host，或改用 HTTPS 访问':
    'The request is invalid: its Origin is not the Host. Have your reverse proxy pass on Host, or use https.',
  '一次最多处理 1000 个渠道，请分批操作': 'At most 1000 channels at a time. Please do it in parts.',
  参数错误: 'The request has a wrong value.',
  请求参数有误: 'The request has a wrong value.',
  'record not found': 'It is not there any more. Reload the page.',
  '账户尚未就绪，请稍后重试': 'The account is not ready yet. Please try again in a moment.',
  '账户正忙，请稍后重试': 'The account is busy. Please try again in a moment.',
  '无权进行此操作，权限不足': 'Your role does not allow this.',
  '用户名或密码错误，或用户已被封禁': 'Wrong username or password, or the account is disabled.',
  用户已被封禁: 'The account is disabled.',
  管理员关闭了密码登录: 'Signing in with a password has been switched off.',
  管理员关闭了新用户注册: 'Registration is closed.',
  '管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册':
    'Sign-up by password is switched off. Sign up through one of the other services.',
  '管理员开启了邮箱验证，请输入邮箱地址和验证码':
    'Enter your email address and the code that was sent there.',
  验证码错误或已过期: 'The code is wrong or has expired.',
  邮箱地址已被占用: 'This email address is taken.',
  无效的邮箱地址: 'This is not a valid email address.',
  '管理员已启用邮箱地址别名限制，您的邮箱地址由于包含特殊符号而被拒绝。':
    'Email addresses with + or . before the @ are not accepted here.',
  用户已注销: 'This account has been deleted.',
  'state is empty or not same':
    'This sign-in has expired or was begun in another browser. Start again.',
  '该账户名在第三方平台上已换了主人，请联系管理员':
    'This account name has changed hands at the other service. Ask your administrator.',
  '管理员未开启通过 GitHub 登录以及注册': 'Signing in with GitHub is switched off.',
  '管理员未开启通过 OIDC 登录以及注册': 'Signing in with OIDC is switched off.',
  '管理员未开启通过 Linux DO 登录以及注册': 'Signing in with Linux DO is switched off.',
  管理员未开启通过微信登录以及注册: 'Signing in with WeChat is switched off.',
  '管理员未开启通过 Telegram 登录以及注册': 'Signing in with Telegram is switched off.',
  '该 GitHub 账户已被绑定': 'This GitHub account is linked to another user.',
  '该 OIDC 账户已被绑定': 'This OIDC account is linked to another user.',
  '该 Linux DO 账户已被绑定': 'This Linux DO account is linked to another user.',
  该微信账号已被绑定: 'This WeChat account is linked to another user.',
  '该 Telegram 账户已被绑定': 'This Telegram account is linked to another user.',
  '该 Telegram 账户未绑定':
    'No user is linked to this Telegram account. Sign in another way and link it first.',
  '无法连接至 GitHub 服务器，请稍后重试！': 'GitHub cannot be reached. Try again later.',
  '返回值非法，用户字段为空，请稍后重试！': 'GitHub did not say who you are. Try again later.',
  '无法连接至 OIDC 服务器，请稍后重试！': 'The OIDC provider cannot be reached. Try again later.',
  'OIDC 获取 Token 失败，请检查设置！':
    'The OIDC provider gave no token. Ask your administrator to check the settings.',
  'OIDC 获取用户信息失败！请检查设置！':
    'The OIDC provider did not say who you are. Ask your administrator to check the settings.',
  'OIDC 获取用户信息为空！请检查设置！':
    'The OIDC provider gave no id or email. Ask your administrator to check the settings.',
  '无法连接至微信服务器，请稍后重试！': 'The WeChat server cannot be reached. Try again later.',
  该邮箱地址未注册: 'No account has this email address.',
  重置链接非法或已过期: 'This link is not valid or has expired. Request a new one.',
  'SMTP 服务器未配置': 'No mail server is configured. Ask your administrator.',
  'invalid SMTP account': 'The mail server is not configured completely. Ask your administrator.',
  "The administrator has enabled the email domain name whitelist, and your email address is not allowed due to special symbols or it's not in the whitelist.":
    'Email addresses of this domain are not accepted here.',
  'Turnstile token 为空': 'The check that you are human has not been passed.',
  'Turnstile 校验失败，请刷新重试！':
    'The check that you are human failed. Reload the page and try again.',
  '无法连接至 Turnstile 服务器，请稍后重试！':
    'The check that you are human cannot be reached. Please try again later.',
  系统已经初始化完成: 'The system has been set up already.',
  '系统正在初始化中，请稍后重试': 'The system is being set up. Please try again in a moment.',
  请输入管理员用户名: "Please enter the administrator's username.",
  用户名过长: 'The username is too long.',
  '用户名已存在，或已注销': 'The username is taken.',
  '用户名不能是邮箱地址，除非是您自己已绑定的邮箱': 'The username cannot be an e-mail address.',
  两次输入的密码不一致: 'The two passwords differ.',
  密码长度至少为8个字符: 'The password needs at least 8 characters.',
  原密码错误: 'The current password is wrong.',
  请输入原密码: 'Please enter the current password.',
  请输入新密码: 'Please enter a new password.',
  新密码不能与原密码相同: 'The new password must differ from the current one.',
  余额不足: 'Not enough balance.',
  '提交失败，请勿重复提交！':
    'This has just been submitted. Reload and look before you submit it again.',
  令牌名称不能为空: 'Please enter a name.',
  令牌名称过长: 'The name is too long.',
  '令牌数量或其限制列表已达上限，请先删除不再使用的令牌':
    'There are too many tokens, or their lists are too long. Delete tokens that are not used any more.',
  '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期':
    'The token has expired. Change when it expires before you enable it.',
  '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度':
    'The token has no quota left. Give it quota, or make it unlimited, before you enable it.',
  'IP 白名单过长': 'The list of allowed addresses is too long.',
  模型限制列表过长: 'The list of models is too long.',
  '请填写渠道名称和渠道密钥！': "Please enter the channel's name and key.",
  请填写密钥: 'Please enter the key.',
  '请至少选择一个模型！': 'Please choose at least one model.',
  渠道名称过长: 'The name is too long.',
  '渠道密钥只能包含可见的 ASCII 字符，不能换行，请检查后重新填写':
    'The key may hold visible ASCII characters only. Check it and enter it again.',
  'OpenAI 组织 ID 只能包含可见的 ASCII 字符，请检查后重新填写':
    'The organisation id may hold visible ASCII characters only. Check it and enter it again.',
  '渠道 API 地址无效，请以 http:// 或 https:// 开头':
    'The base URL must begin with http:// or https://.',
  '渠道 API 地址无效': 'The base URL is not valid.',
  '渠道 API 地址不能包含账号或密码，请填写在密钥中':
    'The base URL cannot hold a user or password. Put them into the key.',
  '该类型的渠道没有默认地址，请填写渠道 API 地址':
    'Channels of this type have no usual address. Enter the base URL.',
  '渠道 API 地址或代理地址位于内网，只有超级管理员可以保存、测试或读取，请联系超级管理员':
    'Base URL or proxy lies in a private network. Only a super administrator saves, tests or reads there; ask one.',
  '渠道 API 地址或代理地址位于内网，请更换地址，或由超级管理员开启 fetch_setting.allow_private_channel_addresses':
    'Base URL or proxy lies in a private network. Use another, or let a super administrator switch on fetch_setting.allow_private_channel_addresses.',
  '渠道 API 地址或代理地址不能指向链路本地地址或云平台元数据服务，请更换地址':
    'Base URL or proxy leads to a link-local address or to metadata of a cloud. Use another.',
  '代理地址无效，请以 http://、https:// 或 socks5:// 开头':
    'The proxy must begin with http://, https:// or socks5://.',
  '渠道额外设置必须是合法的 JSON 格式': 'The extra settings are not valid JSON.',
  '模型映射必须是合法的 JSON 格式！': 'The model mapping is not valid JSON.',
  '状态码复写必须是合法的 JSON 格式，如 {"400":"500"}':
    'The status code mapping is not valid JSON such as {"400":"500"}.',
  '参数覆盖必须是合法的 JSON 格式，且不能包含 stream 参数':
    'The parameter override is not valid JSON, or overrides stream.',
  '渠道内容过长，请减少模型或缩短设置':
    'The channel is too long. Take models away or shorten its settings.',
  '渠道的类型或 API 地址刚被他人修改，请刷新后重试':
    'Somebody else has just changed type or address of the channel. Reload and try again.',
  '更改渠道类型、API 地址（协议、域名或端口）或代理时，请在密钥栏中重新填写该渠道的密钥，或由超级管理员修改':
    'Whoever changes type, address or proxy of a channel has to enter its key again, unless a super administrator does.',
  tag不能为空: 'Please enter a tag.',
  '标签不能为空！': 'Please enter a tag.',
  测试已在运行中: 'The test is running already.',
  测试已中止: 'The test was stopped.',
  尚未实现: 'The balance of this type of channel cannot be read.',
  '上游的响应没有内容，请检查渠道类型、API 地址和测试模型':
    'Upstream answered without content. Check type, base URL and test model.',
  '上游没有返回用量信息（usage），请求将按本地计数计费':
    'Upstream reports no usage: requests are charged by what Tollgate counts.',
  '无法连接上游，请检查渠道 API 地址、代理和网络':
    'Upstream cannot be reached. Check base URL, proxy and network.',
  '上游未在规定时间内响应，请稍后重试，或检查渠道 API 地址和代理':
    'Upstream did not answer in time. Try again later, or check base URL and proxy.',
  '与上游的连接中断，请稍后重试，或检查渠道 API 地址和代理':
    'The connection to upstream broke. Try again later, or check base URL and proxy.',
  '上游的响应无法使用（为空、不是 JSON、没有内容或编码未知），请检查渠道类型、API 地址和测试模型后重试':
    'The answer of upstream cannot be used. Check type, base URL and test model, then try again.',
  '该类型的渠道不支持此请求：协议尚未实现，或没有该模型所需的接口，请更换渠道类型或模型':
    'Channels of this type cannot serve this request. Use another type or model.',
  'Failed to fetch models':
    'Upstream did not list its models. Check base URL (without /v1) and key.',
  请选择日志记录时间: 'Please choose a time.',
}

/** The few messages of the server that are English. */
export const IN_CHINESE: Readonly<Record<string, string>> = {
  'state is empty or not same': '登录请求已过期或不是由此浏览器发起，请重新登录',
  'invalid code': '授权码无效，请重新登录',
  'failed to connect to Linux DO server': '无法连接至 Linux DO 服务器，请稍后重试！',
  'failed to get user info from Linux DO': '获取 Linux DO 用户信息失败，请稍后重试！',
  "The administrator has enabled the email domain name whitelist, and your email address is not allowed due to special symbols or it's not in the whitelist.":
    '管理员已启用邮箱域名白名单，您的邮箱地址不在白名单中，或包含特殊符号。',
  'invalid SMTP account': 'SMTP 账户设置不完整，请联系管理员',
  'record not found': '记录不存在，请刷新页面',
  'Failed to fetch models': '获取模型列表失败，请检查 API 地址（不含 /v1）和密钥',
}

/** The message in that language; one that is not known here, such as an upstream's own words, stays as it is. */
export function inLanguage(message: string, language: 'zh' | 'en'): string {
  const messages = language === 'en' ? IN_ENGLISH : IN_CHINESE
  return (Object.hasOwn(messages, message) ? messages[message] : null) ?? message
}
