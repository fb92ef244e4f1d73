import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { WatchedPage } from '../support/browser/browser.ts'
import { ConsoleClient } from '../support/console-client.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import { openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** The personal page as an ordinary user has it, from the balance to the end of the account. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
const t = textsOf('zh')
const MODELS = Array.from({ length: 12 }, (_, index) => `model-${String(index).padStart(2, '0')}`)
const PASSWORD = 'long-enough-2'
const NEW_PASSWORD = 'long-enough-3'

const client = async (username: string, password: string): Promise<ConsoleClient> => {
  const made = new ConsoleClient(gateway.product.url)
  await made.logIn(username, password)
  return made
}
const card = (title: Parameters<typeof t>[0]) =>
  page.getByRole('region', { name: t(title), exact: true })
const button = (name: string) => page.getByRole('button', { name, exact: true })

beforeAll(async () => {
  gateway = await startGateway({ models: MODELS })
  const { root, product } = gateway
  await root.setOptions({
    QuotaForInviter: '1500000',
    WeChatServerAddress: 'https://wechat.example.com',
    WeChatServerToken: 'a-token',
    WeChatAuthEnabled: 'true',
    GitHubClientId: 'gh-1',
    GitHubClientSecret: 'secret',
    GitHubOAuthEnabled: 'true',
    SMTPServer: 'mail.example.com',
    SMTPFrom: 'gate@example.com',
  })
  await root.send('POST', '/api/user/', { username: 'walker', password: PASSWORD })
  const member = await client('walker', PASSWORD)
  const { data: code } = await member.send('GET', '/api/user/aff')
  await new ConsoleClient(product.url).send('POST', '/api/user/register', {
    username: 'invited',
    password: PASSWORD,
    aff_code: String(code),
  })
  await until('the reward is earned', async () => {
    const { data } = await member.send('GET', '/api/user/self')
    return (data as { aff_quota: number }).aff_quota === 1_500_000
  })
  watched = await openSignedIn(gateway, {
    readsClipboard: true,
    width: 1280,
    who: { username: 'walker', password: PASSWORD },
  })
  page = watched.page
  await page.goto('/personal')
  await card('personal.account').waitFor()
}, 120_000)
afterAll(() => stopAll(page, gateway))

test('given twelve models, when the page is open, then ten are shown, then all, and a click copies one', async () => {
  const models = card('personal.models')
  await models.getByText('model-00').waitFor()
  expect(await models.getByRole('listitem').count()).toBe(10)
  await models.getByRole('button', { name: t('models.unfold', { n: '2' }) }).click()
  expect(await models.getByRole('listitem').count()).toBe(12)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await models.getByText('model-11').click()
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('model-11')
  await page.reload()
  await models.getByText('model-11').waitFor()
  await watched.expectAccessible()
  watched.expectNoComplaint()
})

test('given earnings, when transferred, then the balance has them; too little and too much are named', async () => {
  const invitation = card('personal.invitation')
  await invitation.getByText(/\/register\?aff=\w{4}$/u).waitFor()
  await invitation.getByText('$3.00').first().waitFor()
  await button(t('personal.transfer')).click()
  const dialog = page.getByRole('dialog')
  const amount = dialog.getByLabel(t('personal.transferAmount'))
  expect(await amount.inputValue()).toBe('1')
  await amount.fill('0.5')
  await dialog.getByRole('button', { name: t('personal.transferSubmit') }).click()
  await dialog.getByText('划转金额最低为 $1.00').waitFor()
  await amount.fill('4')
  await dialog.getByText(t('personal.transfer_lacking')).waitFor()
  await amount.fill('1.2')
  await watched.expectAccessible()
  await dialog.getByRole('button', { name: t('personal.transferSubmit') }).click()
  await dialog.waitFor({ state: 'hidden' })
  await invitation.getByText('$1.80').waitFor()
  await card('personal.account').getByText('$1.20').first().waitFor()
})

test('given earnings below the least, when the transfer opens, then it says so and cannot be sent', async () => {
  await page.getByRole('button', { name: t('personal.transfer') }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(t('personal.transferAmount')).fill('1.5')
  await dialog.getByRole('button', { name: t('personal.transferSubmit') }).click()
  await dialog.waitFor({ state: 'hidden' })
  await card('personal.invitation').getByText('$0.30').waitFor()
  await button(t('personal.transfer')).click()
  await dialog.getByText('划转金额最低为 $1.00').waitFor()
  const submit = dialog.getByRole('button', { name: t('personal.transferSubmit') })
  expect(await submit.isDisabled()).toBe(true)
  expect(await dialog.getByLabel(t('personal.transferAmount')).count()).toBe(0)
  await watched.expectAccessible()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
})

test('given a profile, when names are changed, then they are kept; a long one is refused at its field', async () => {
  const profile = card('personal.profile')
  const displayName = profile.getByLabel(t('personal.displayName'))
  await profile.getByLabel(t('personal.username')).fill('a-name-that-is-long')
  await button(t('action.save')).first().click()
  await profile.getByText(t('personal.name_long', { max: '12' })).waitFor()
  await profile.getByLabel(t('personal.username')).fill('walker')
  await displayName.fill('Ann Walker')
  await profile.getByRole('button', { name: t('action.save') }).click()
  await card('personal.account').getByText('Ann Walker').waitFor()
  await card('personal.account').getByText('普通用户', { exact: true }).waitFor()
})

test('given notification settings, when saved, then they are kept, and each mistake has its message', async () => {
  const settings = card('personal.settings')
  const threshold = settings.getByLabel(t('personal.threshold'))
  const save = settings.getByRole('button', { name: t('action.save') })
  expect(await threshold.inputValue()).toBe('0.2')
  await threshold.fill('0')
  await save.click()
  await settings.getByText('预警阈值必须大于0').waitFor()
  for (const preset of ['$0.20', '$1.00', '$2.00']) {
    await settings.getByRole('button', { name: preset, exact: true }).waitFor()
  }
  await settings.getByRole('button', { name: '$10.00' }).click()
  await settings.getByRole('radio', { name: t('personal.by_webhook') }).check()
  await save.click()
  await settings.getByText('Webhook地址不能为空').waitFor()
  const address = settings.getByLabel(t('personal.webhookUrl'))
  await address.fill('http://hooks.example.com/')
  await settings.getByText(t('personal.setting_webhookInvalid')).waitFor()
  await address.fill('https://hooks.example.com/')
  await settings.getByText(t('personal.webhookSecretHelp')).waitFor()
  await settings.getByLabel(t('personal.webhookSecret')).fill('a-secret')
  await settings.getByRole('tab', { name: t('personal.prices') }).click()
  await settings.getByRole('switch', { name: t('personal.acceptUnpriced') }).check()
  await watched.expectAccessible()
  await page.route('**/api/user/setting', (route) => route.fulfill({ status: 500, body: '' }))
  await save.click()
  await settings.getByText('更新通知设置失败').waitFor()
  await page.unroute('**/api/user/setting')
  await save.click()
  await page.getByText(t('personal.settingSaved')).waitFor()
  const { data } = await (await client('walker', PASSWORD)).send('GET', '/api/user/self')
  expect(JSON.parse((data as { setting: string }).setting)).toMatchObject({
    notify_type: 'webhook',
    quota_warning_threshold: 5_000_000,
    webhook_url: 'https://hooks.example.com/',
    accept_unset_model_ratio_model: true,
  })
  await page.reload()
  await expect.poll(() => threshold.inputValue()).toBe('10')
  expect(await settings.getByLabel(t('personal.webhookSecret')).inputValue()).toBe('')
  await settings.getByText(t('personal.webhookSecretKept')).waitFor()
})

test('given no mail server, when an email is bound, then it says whom to ask, without a code’s button', async () => {
  await gateway.root.setOption('SMTPServer', '')
  await page.reload()
  await button(`${t('personal.bind')}: ${t('personal.email')}`).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(t('personal.noMail')).waitFor()
  expect(await dialog.getByRole('button', { name: t('personal.sendCode') }).count()).toBe(0)
  expect(await dialog.getByLabel(t('personal.emailCode')).isDisabled()).toBe(true)
  const bind = dialog.getByRole('button', { name: t('personal.bindEmail') })
  expect(await bind.isDisabled()).toBe(true)
  await watched.expectAccessible()
  await gateway.root.setOption('SMTPServer', 'mail.example.com')
  await page.reload()
})

test('given bindings, when their dialogs open, then each asks for what it needs, unless it is off', async () => {
  const bind = (name: string) => button(`${t('personal.bind')}: ${name}`)
  await bind(t('personal.email')).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: t('personal.bindEmail') }).click()
  await dialog.getByText('请输入邮箱！').waitFor()
  await dialog.getByText('请输入邮箱验证码！').waitFor()
  await watched.expectAccessible()
  await page.route('**/api/verification?*', (route) =>
    route.fulfill({ json: { success: true, message: '' } }),
  )
  await dialog.getByLabel(t('personal.newEmail')).fill('ann@example.com')
  await dialog.getByRole('button', { name: t('personal.sendCode') }).click()
  await dialog.getByRole('button', { name: /[(（]\d+/u }).waitFor()
  const question = page.getByRole('alertdialog', { name: t('form.unsavedTitle') })
  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: t('action.cancel') }).click()
  await question.waitFor({ state: 'hidden' })
  expect(await dialog.getByLabel(t('personal.newEmail')).inputValue()).toBe('ann@example.com')
  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: t('form.discard') }).click()
  await dialog.waitFor({ state: 'hidden' })
  await bind(t('personal.wechat')).click()
  await dialog.getByText('三分钟').waitFor()
  await dialog.getByRole('button', { name: t('personal.bind'), exact: true }).click()
  await dialog.getByText(t('provider.wechatCodeMissing')).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  expect(await button(`${t('personal.bind')}: OIDC`).isDisabled()).toBe(true)
  await page.route('https://github.com/**', (route) => route.fulfill({ body: 'agree?' }))
  await bind('GitHub').click()
  await page.waitForURL(/^https:\/\/github\.com\/login\/oauth\/authorize\?/u)
  expect(new URL(page.url()).searchParams.get('client_id')).toBe('gh-1')
  await page.goto('/personal')
})

test('given another session, when it is ended here, then it is signed out and this one stays', async () => {
  const sessions = card('session.title')
  const other = await client('walker', PASSWORD)
  await page.reload()
  await sessions.getByText(t('session.current')).waitFor()
  await sessions.getByRole('button', { name: t('personal.endOthers') }).click()
  await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1)
  expect((await other.send('GET', '/api/user/self')).status).toBe(401)
})

test('given the password, when it is changed, then the new one signs in and this session stays', async () => {
  await button(t('personal.changePassword')).click()
  const dialog = page.getByRole('dialog')
  const submit = dialog.getByRole('button', { name: t('personal.changePassword') })
  const field = (name: 'originalPassword' | 'newPassword' | 'confirmPassword') =>
    dialog.getByLabel(t(`personal.${name}`), { exact: true })
  await submit.click()
  expect(await dialog.getByText(t('personal.password_required')).count()).toBe(2)
  await field('originalPassword').fill(PASSWORD)
  await field('newPassword').fill(PASSWORD)
  await dialog.getByText(t('personal.password_same')).waitFor()
  await field('newPassword').fill(NEW_PASSWORD)
  await dialog.getByText(t('personal.password_mismatch')).waitFor()
  await field('confirmPassword').fill(NEW_PASSWORD)
  await submit.click()
  await dialog.waitFor({ state: 'hidden' })
  await client('walker', NEW_PASSWORD)
  await page.reload()
  await card('personal.account').waitFor()
})

test('given the access token, when one is made first, then nothing is asked; the next one asks', async () => {
  const make = button(t('personal.makeAccessToken'))
  await make.click()
  await button(t('personal.copyAccessToken')).waitFor()
  await make.click()
  await page.getByText(t('personal.accessTokenConsequence')).waitFor()
  await page.keyboard.press('Escape')
})

test('given the end of the account, when the name is typed right, not wrong, then it is deleted', async () => {
  await page.reload()
  await button(t('personal.deleteAccount')).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('somebody')
  await dialog.getByRole('button', { name: t('personal.deleteSubmit') }).click()
  await dialog.getByText('请输入你的账户名以确认删除！').waitFor()
  await watched.expectAccessible()
  await dialog.getByRole('textbox').fill('walker')
  await dialog.getByRole('button', { name: t('personal.deleteSubmit') }).click()
  await page.waitForURL('**/login**')
  const gone = await new ConsoleClient(gateway.product.url).send('POST', '/api/user/login', {
    username: 'walker',
    password: NEW_PASSWORD,
  })
  expect(gone.success).toBe(false)
})
