import { defaultText } from '@tollgate/domain/settings/catalogue.ts'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { TABS } from '../../console/src/features/settings/filters.ts'
import type { OptionKey, SectionName } from '../../console/src/features/settings/options.ts'
import {
  keysOf,
  OPTIONS,
  SECTIONS,
  specOf,
  textName,
} from '../../console/src/features/settings/options.ts'
import type { WatchedPage } from '../support/browser/browser.ts'
import { openChromium } from '../support/browser/browser.ts'
import type { Gateway } from '../support/gateway.ts'
import { ROOT, startGateway } from '../support/gateway.ts'
import { openSignedInPage } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** The settings as the super administrator uses them: every option, every message, nothing lost on the way. */
let gateway: Gateway
let browser: Browser
let watched: WatchedPage
let page: Page

/** The seeds' messages are Chinese, so the console is. */
const t = textsOf('zh')
const UNSET_MODEL = 'model-nobody-has-heard-of'

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini', UNSET_MODEL] })
  browser = await openChromium()
  watched = await openSignedInPage(browser, gateway.product.url, { width: 1280 })
  page = watched.page
  // The option that says how amounts are shown is one of those that are changed.
  await page.addInitScript(() => localStorage.setItem('quota-unit', 'currency'))
}, 120_000)
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

test('given the payment settings, when there is no server address yet, then that is asked for first', async () => {
  await open('system')
  await field('payment', 'EpayId').fill('1000')
  await save('payment')
  await section('payment').getByText('请先填写服务器地址').waitFor()
  expect(await field('payment', 'EpayId').inputValue()).toBe('1000')
  await undo('EpayId')
})

test('given several changes, when only some are taken, then that is said and the refused one stays', async () => {
  await open('system')
  await field('payment', 'MinTopUp').fill('3')
  await field('payment', 'EpayId').fill('1000')
  await save('payment')
  await said('部分保存失败，请重试')
  await field('payment', 'PayAddress').fill('https://pay.example')
  await save('payment')
  await said('保存失败，请重试')
  expect(await stored('MinTopUp')).toBe('3')
  await undo('EpayId')
  await undo('PayAddress')
})

test('given nothing changed, or something wrong, when saved, then the seeds’ words say so', async () => {
  await open('operation')
  await section('general').getByText('默认 500000，不建议修改').waitFor()
  // The button looks switched off, and a press says why.
  expect(await saveButton('general').isEnabled()).toBe(false)
  await saveButton('general').click({ force: true })
  await said('你似乎并没有修改什么')
  await field('general', 'RetryTimes').fill('99')
  await save('general')
  await said('请检查输入')
  await section('general').getByText('请输入 0 到 10 之间的数字').waitFor()
  await undo('RetryTimes')
  await open('system')
  const domains = section('domains')
  await domains.getByPlaceholder('example.com').fill('no-domain')
  await domains.getByRole('button', { name: t('settings.domainAdd') }).click()
  await domains.getByText('邮箱域名格式不正确，请输入有效的域名，如 gmail.com').waitFor()
  await domains.getByPlaceholder('example.com').fill('GMAIL.com')
  await domains.getByRole('button', { name: t('settings.domainAdd') }).click()
  await domains.getByText('该域名已存在于白名单中').waitFor()
  const github = section('github').getByRole('switch')
  await github.check()
  await save('github')
  await section('github')
    .getByText('无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！')
    .waitFor()
  await undo('GitHubOAuthEnabled')
})

test('given wrong JSON, when typed, then its line is named; as a table, the row says what is wrong', async () => {
  await open('system')
  const json = await jsonOf('payment', 'TopupGroupRatio')
  await json.fill('{\n  "default": 1\n  "vip": 2\n}')
  await section('payment')
    .getByText('充值分组倍率不是合法的 JSON 字符串：第 2 行第 15 列：缺少逗号或右括号')
    .waitFor()
  await save('payment')
  await said('请检查输入')
  await undo('TopupGroupRatio')
  await open('ratelimit')
  const rates = await jsonOf('rateLimit', 'ModelRequestRateLimitGroup')
  await rates.fill('{"vip": [1]}')
  await section('rateLimit')
    .getByText('第 1 行第 2 列：vip：应为 [最多请求次数, 最多请求完成次数]')
    .waitFor()
  await rates.fill('{"vip": [1, 2}')
  await section('rateLimit').getByText('不是合法的 JSON 字符串：第 1 行第 14 列').waitFor()
  await rates.fill('{"vip": [1, 2]}')
  await viewOf('rateLimit', 'ModelRequestRateLimitGroup', 'asTable')
  const cell = (column: 'name' | 'requests' | 'successes') =>
    section('rateLimit').getByLabel(
      t('rows.cell', { column: t(`settings.column_${column}`), n: '1' }),
    )
  expect(await cell('name').inputValue()).toBe('vip')
  await cell('successes').fill('0')
  await section('rateLimit').getByRole('row').getByRole('alert').waitFor()
  await cell('successes').fill('20')
  await save('rateLimit')
  await said('保存成功')
  expect(JSON.parse(await stored('ModelRequestRateLimitGroup'))).toEqual({ vip: [1, 20] })
})

test('given sign-in by password, when it is switched off, then a question comes first', async () => {
  await open('system')
  const login = section('login').getByRole('switch', {
    name: t('settings.field_PasswordLoginEnabled'),
  })
  await login.click()
  const question = page.getByRole('alertdialog')
  await question.getByRole('button', { name: t('action.cancel') }).click()
  await question.waitFor({ state: 'hidden' })
  expect(await login.isChecked()).toBe(true)
})

test('given a tab of sections, when scrolled to its end or led to a section, then that one is marked', async () => {
  const places = page.getByRole('navigation', { name: t('settings.places') })
  const marked = () => places.locator('[aria-current=location]').textContent()
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto('/setting?tab=system')
  await places.locator('[aria-current=location]').waitFor()
  const names = await places.getByRole('link').allTextContents()
  expect(names.length).toBeGreaterThan(5)
  // A page that was open before comes back where it was read.
  await page.evaluate('scrollTo(0, 0)')
  await expect.poll(marked).toBe(names[0])
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await expect.poll(marked).toBe(names.at(-1))
  // The last but one cannot come to the window's top, either.
  await places.getByRole('link', { name: names.at(-2) ?? '', exact: true }).click()
  await expect.poll(marked).toBe(names.at(-2))
  await page.evaluate('scrollTo(0, 0)')
  await expect.poll(marked).toBe(names[0])
})

test('given typed settings, when another tab opens, then they stay; leaving the page asks', async () => {
  await open('operation')
  await field('general', 'TopUpLink').fill('https://shop.example')
  await page.getByRole('link', { name: t('settings.tab_models'), exact: true }).click()
  await section('claude').waitFor()
  await page.getByRole('link', { name: t('settings.tab_operation'), exact: true }).click()
  expect(await field('general', 'TopUpLink').inputValue()).toBe('https://shop.example')
  await page.getByRole('link', { name: t('place.tokens') }).click()
  const question = page.getByRole('alertdialog', { name: t('form.unsavedTitle') })
  await question.getByRole('button', { name: t('action.cancel') }).click()
  await question.waitFor({ state: 'hidden' })
  expect(await field('general', 'TopUpLink').inputValue()).toBe('https://shop.example')
  await page.getByRole('link', { name: t('place.tokens') }).click()
  await question.getByRole('button', { name: t('form.discard') }).click()
  await page.waitForURL('**/token')
})

test('given a word, when looked for, then options of all tabs are found and changed ones marked', async () => {
  await gateway.root.setOption('RetryTimes', '4')
  await open('operation')
  await page.getByRole('searchbox', { name: t('settings.search') }).fill('超时')
  await page.getByText(t('settings.noneFound')).waitFor()
  await page.getByRole('searchbox', { name: t('settings.search') }).fill('重试')
  await field('general', 'RetryTimes').waitFor()
  await page.getByText(t('settings.isChangedFrom', { value: '0' })).waitFor()
  const name = t('settings.field_RetryTimes')
  await page.getByRole('button', { name: t('settings.resetOf', { name }) }).click()
  expect(await field('general', 'RetryTimes').inputValue()).toBe('0')
  await save('general')
  await said('保存成功')
  expect(await stored('RetryTimes')).toBe('0')
})

test('given an option that was changed, when shown, then who changed it last stands below it', async () => {
  await gateway.root.setOption('QuotaForInviter', '2000')
  // However many changes of other options came after it: more than a page of the history has.
  for (let n = 0; n <= 100; n += 1) await gateway.root.setOption('Footer', `footer ${n}`)
  await open('operation')
  await section('quota').getByText(`${ROOT.username} 于`).first().waitFor()
})

test.each<OptionKey>([
  'ModelPrice',
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CacheWriteRatio',
  'AudioRatio',
  'ImageOutRatio',
])(
  'given prices in %s that are not the defaults, when shown, then that is marked and they go back',
  async (key) => {
    const initial: unknown = JSON.parse(defaultText(key))
    await page.goto('/setting?prices=json')
    const text = field('modelRatios', key)
    await text.waitFor()
    const name = t(`settings.field_${textName(key)}`)
    const reset = page.getByRole('button', { name: t('settings.resetOf', { name }) })
    expect(await reset.count()).toBe(0)
    await text.fill('{"gpt-4o-mini": 77}')
    await reset.click()
    expect(JSON.parse(await text.inputValue())).toEqual(initial)
    expect(await reset.count()).toBe(0)
  },
)

test('given OIDC, when no or a silent address is to be asked, then the seeds’ words say so', async () => {
  await open('system')
  const fetchEndpoints = section('oidc').getByRole('button', { name: t('settings.oidcFetch') })
  await fetchEndpoints.click()
  await said('Well-Known URL 必须以 http:// 或 https:// 开头')
  await field('oidc', 'oidc.well_known').fill('http://127.0.0.1:9/nothing')
  await fetchEndpoints.click()
  await said('获取 OIDC 配置失败，请检查网络状况和 Well-Known URL 是否正确')
  await undo('oidc.well_known')
})

test('given OIDC that answers, when its address is asked, then three endpoints are filled in', async () => {
  const endpoints = {
    authorization_endpoint: 'https://id.example.com/authorize',
    token_endpoint: 'https://id.example.com/token',
    user_info_endpoint: 'https://id.example.com/userinfo',
  }
  await page.route('**/api/option/oidc_discovery', (route) =>
    route.fulfill({ json: { success: true, message: '', data: endpoints } }),
  )
  await open('system')
  await field('oidc', 'oidc.well_known').fill('https://id.example.com')
  await section('oidc')
    .getByRole('button', { name: t('settings.oidcFetch') })
    .click()
  await said(t('settings.oidcFound'))
  for (const [name, address] of Object.entries(endpoints)) {
    const key = `oidc.${name}` as OptionKey
    expect(await field('oidc', key).inputValue()).toBe(address)
    await undo(key)
  }
  await undo('oidc.well_known')
  await page.unroute('**/api/option/oidc_discovery')
})

test('given a later version, when the system is looked at, then its notes are shown', async () => {
  const news = { current_version: '1', tag_name: 'v99.0.0', body: 'all new', is_newer: true }
  await page.route('**/api/update', (route) =>
    route.fulfill({ json: { success: true, message: '', data: news } }),
  )
  await open('other')
  const info = page.locator('#info')
  await info.getByText(t('settings.version'), { exact: true }).waitFor()
  await info.getByText(/^\d+\.\d+\.\d+/u).waitFor()
  await info.getByText(t('settings.startTime'), { exact: true }).waitFor()
  await info.getByRole('time').waitFor()
  await info.getByRole('button', { name: t('settings.checkUpdate') }).click()
  await info.getByText('all new').waitFor()
  await info.getByText(t('settings.newVersion', { version: 'v99.0.0' })).waitFor()
  await page.unroute('**/api/update')
})

test('given no address of releases, when updates are looked for, then the seeds’ words say that it failed', async () => {
  await open('other')
  await page.getByRole('button', { name: t('settings.checkUpdate') }).click()
  await said('检查更新失败，请稍后再试')
})

test('given no moment, when logs are to be cleared, then one is asked for', async () => {
  await open('operation')
  const cleanup = section('cleanup')
  await cleanup.getByLabel(t('settings.cleanupBefore')).fill('')
  await cleanup.getByRole('button', { name: t('settings.clearLogs') }).click()
  await cleanup.getByText('请选择日志记录时间').waitFor()
})

test('given a model without a price, when one is set, then it is no longer in that list', async () => {
  await page.goto('/setting?prices=unset')
  const ratio = page.getByLabel(`${UNSET_MODEL}: ${t('pricing.modelRatio')}`)
  await ratio.fill('0x')
  await page.getByText('请输入数字').waitFor()
  await ratio.fill('2.5')
  await page.getByText(/^5\.00 \/ /u).waitFor()
  await page.getByRole('link', { name: t('settings.tab_models'), exact: true }).click()
  const question = page.getByRole('alertdialog')
  await question.getByRole('button', { name: t('action.cancel') }).click()
  await page.getByRole('button', { name: t('pricing.saveChanges', { n: '1' }) }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('action.save') })
    .click()
  await page.getByText(/^已保存：第 \d+ 版已生效/).waitFor()
  await ratio.waitFor({ state: 'hidden' })
  expect(JSON.parse(await stored('ModelRatio'))).toMatchObject({ [UNSET_MODEL]: 2.5 })
})

test('given an administrator, when the settings open, then all tabs say who may change them', async () => {
  const who = { username: 'second', password: 'long-enough-2' }
  const { userId } = await gateway.root.addUser(who.username, who.password, 0)
  await gateway.root.ask('POST', '/api/user/manage', z.unknown(), { id: userId, action: 'promote' })
  const view = { theme: 'dark', width: 390, who } as const
  const admin = await openSignedInPage(browser, gateway.product.url, view)
  await admin.page.goto('/setting')
  await admin.page.getByText(t('settings.rootOnlyLogs')).waitFor()
  for (const tab of TABS) {
    await admin.page.getByRole('link', { name: t(`settings.tab_${tab}`), exact: true }).click()
    await admin.page
      .getByText(t(tab === 'operation' ? 'settings.rootOnlyLogs' : 'settings.rootOnly'))
      .waitFor()
  }
  await admin.expectAccessible()
  admin.expectNoComplaint()
  await admin.page.context().close()
}, 60_000)

/** Quota of a dollar from the first section on: amounts are typed in dollars. */
const PER_UNIT = 250_000

/** Switching these on shuts the test itself out. */
const UNTOUCHED: ReadonlySet<OptionKey> = new Set<OptionKey>([
  'DemoSiteEnabled',
  'PasswordLoginEnabled',
  'TurnstileCheckEnabled',
])

/** Prices are among what changes there: they are saved by a dialog that shows what they do. */
const PRICED_SECTIONS: ReadonlySet<SectionName> = new Set(['general', 'groups', 'modelRatios'])

const SECRETS = (Object.keys(OPTIONS) as OptionKey[]).filter((key) => specOf(key).kind === 'secret')

test.each(TABS)(
  'given the tab %s, when every option is changed and saved, then each is stored and shown again',
  async (tab) => {
    await open(tab)
    const typed = new Map<OptionKey, string>()
    for (const name of sectionsIn(tab)) {
      for (const key of keysOf(name).filter((one) => !UNTOUCHED.has(one))) {
        const value = anotherValue(key, await stored(key))
        await type(name, key, value)
        typed.set(key, value)
      }
      await save(name)
      if (PRICED_SECTIONS.has(name)) {
        await page
          .getByRole('dialog')
          .getByRole('button', { name: t('action.save') })
          .click()
      }
      await section(name).getByText(t('settings.unsaved')).first().waitFor({ state: 'detached' })
    }
    const all = await options()
    for (const [key, value] of typed) {
      if (specOf(key).kind === 'secret') continue
      const kept = all.get(key) ?? ''
      const isJson = specOf(key).kind === 'table'
      expect([key, isJson ? JSON.parse(kept) : kept]).toEqual([
        key,
        isJson ? JSON.parse(value) : value,
      ])
    }
    await page.reload()
    for (const name of sectionsIn(tab)) {
      await section(name).waitFor()
      for (const [key, value] of typed) {
        const spec = specOf(key)
        if (!keysOf(name).includes(key) || spec.kind === 'table' || spec.kind === 'domains')
          continue
        const control = field(name, key)
        if (spec.kind === 'switch')
          expect([key, await control.isChecked()]).toEqual([key, value === 'true'])
        else if (spec.kind === 'secret')
          expect([key, await control.inputValue()]).toEqual([key, ''])
        else if (spec.kind !== 'number' || !spec.isQuota) {
          expect([key, await control.inputValue()]).toEqual([key, value])
        }
      }
    }
  },
  180_000,
)

test('given the secrets, when saved, then each is kept, and none is told', async () => {
  const rows = await gateway.product.query('select key from secrets.options order by key')
  expect(JSON.stringify(rows)).toContain('SMTPToken')
  const listed = await options()
  expect(SECRETS.filter((key) => listed.has(key))).toEqual([])
})

const sectionsIn = (tab: (typeof TABS)[number]): SectionName[] =>
  (Object.keys(SECTIONS) as SectionName[]).filter((name) => SECTIONS[name].tab === tab)

const section = (name: SectionName | 'cleanup'): Locator => page.locator(`#${name}`)

const labelOf = (key: OptionKey): string => t(`settings.field_${textName(key)}`)

/** The control of an option, whatever it is. */
function field(name: SectionName, key: OptionKey): Locator {
  const { kind } = specOf(key)
  if (kind === 'secret') return section(name).getByLabel(labelOf(key), { exact: true })
  if (kind === 'switch')
    return section(name).getByRole('switch', { name: labelOf(key), exact: true })
  return section(name)
    .getByRole(kind === 'choice' ? 'combobox' : 'textbox', { name: labelOf(key) })
    .first()
}

async function open(tab: (typeof TABS)[number]): Promise<void> {
  await page.goto(`/setting?tab=${tab}`)
  await page.getByRole('searchbox', { name: t('settings.search') }).waitFor()
}

function saveButton(name: SectionName): Locator {
  const title = t(`settings.section_${name}`)
  return section(name).getByRole('button', { name: t('settings.saveOf', { title }), exact: true })
}

const save = (name: SectionName): Promise<void> => saveButton(name).click()

const said = (words: string): Promise<void> =>
  page.getByText(words, { exact: true }).filter({ visible: true }).first().waitFor()

async function undo(key: OptionKey): Promise<void> {
  await page.getByRole('button', { name: t('settings.undoOf', { name: labelOf(key) }) }).click()
}

async function viewOf(
  name: SectionName,
  key: OptionKey,
  view: 'asTable' | 'asJson',
): Promise<void> {
  const views = section(name).getByRole('group', {
    name: t('settings.viewOf', { name: labelOf(key) }),
  })
  const button = views.getByRole('button', { name: t(`settings.${view}`), exact: true })
  if (await button.count()) await button.click()
}

async function jsonOf(name: SectionName, key: OptionKey): Promise<Locator> {
  await viewOf(name, key, 'asJson')
  return section(name).getByRole('textbox', { name: labelOf(key), exact: true })
}

async function type(name: SectionName, key: OptionKey, value: string): Promise<void> {
  const spec = specOf(key)
  if (spec.kind === 'switch') await field(name, key).setChecked(value === 'true')
  else if (spec.kind === 'choice') await field(name, key).selectOption(value)
  else if (spec.kind === 'table') await (await jsonOf(name, key)).fill(value)
  else if (spec.kind === 'domains') {
    await section(name).getByPlaceholder('example.com').fill('example.com')
    await section(name)
      .getByRole('button', { name: t('settings.domainAdd') })
      .click()
  } else if (spec.kind === 'number' && spec.isQuota) {
    await field(name, key).fill(String(Number(value) / PER_UNIT))
  } else await field(name, key).fill(value)
}

/** A value that an option does not have yet. */
function anotherValue(key: OptionKey, now: string): string {
  const spec = specOf(key)
  switch (spec.kind) {
    case 'switch':
      return String(now !== 'true')
    case 'choice':
      return 'day'
    case 'address':
      return `${gateway.product.url}/${textName(key)}`
    case 'domains':
      return `${now},example.com`
    case 'lines':
      return 'one\ntwo words'
    case 'number':
      if (key === 'QuotaPerUnit') return String(PER_UNIT)
      if (spec.isQuota) return '750000'
      if (!spec.isWhole && spec.max === 1) return '0.5'
      return String(Number(now) === spec.min + 2 ? spec.min + 1 : spec.min + 2)
    case 'table':
      // Its names are those of the tools that have a price.
      return key === 'ToolPrices' ? '{"file_search": 3}' : TABLES[spec.shape]
    case 'picture':
      return key === 'ContactImageURL' ? 'https://pictures.example/who.png' : '/favicon.svg'
    case 'line':
    case 'page':
    case 'secret':
      return `typed-${textName(key)}`
    default:
      return spec satisfies never
  }
}

const TABLES = {
  ratios: '{"default": 1, "gold": 0.5}',
  texts: '{"default": "v1", "gold": "v2"}',
  limits: '{"default": 4096, "claude-x": 1000}',
  rates: '{"default": [0, 1], "gold": [10, 20]}',
  headers: '{"claude-x": {"anthropic-beta": ["one", "two"]}}',
  factors: '{"gpt-x": {"priority": 2, "above": {"tokens": 1000, "in": 2, "out": 1.5}}}',
  list: '["imagine-1", "imagine-2"]',
  chats: '[{"One": "https://one.example/{key}"}]',
} as const

async function options(): Promise<ReadonlyMap<string, string>> {
  const rows = z.array(z.object({ key: z.string(), value: z.string() }))
  const list = await gateway.root.ask('GET', '/api/option/', rows)
  return new Map(list.map(({ key, value }) => [key, value]))
}

async function stored(key: OptionKey): Promise<string> {
  return (await options()).get(key) ?? ''
}

test('given the way to the price editor, when taken from list or address, then it is in view', async () => {
  const prices = page.locator('#prices')
  const isInView = async () => {
    const box = await prices.boundingBox()
    return box !== null && box.y >= 0 && box.y < 500
  }
  await page.goto('/pricing')
  await page.getByRole('link', { name: t('pricing.editPrices') }).click()
  await expect.poll(isInView).toBe(true)
  await page.goto('/about')
  await page.goto('/setting?prices=visual#prices')
  await expect.poll(isInView).toBe(true)
})
