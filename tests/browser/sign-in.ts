import type { Download, Page } from 'playwright-core'
import { ROOT } from '../support/gateway.ts'
import { textsOf } from './texts.ts'

/** Signs in as somebody would at the console's own page, by default as root. */
export async function signIn(
  page: Page,
  who: { readonly username: string; readonly password: string } = ROOT,
  language: 'zh' | 'en' = 'zh',
): Promise<void> {
  const t = textsOf(language)
  await page.goto('/login')
  await page.getByLabel(t('login.username')).fill(who.username)
  await page.getByLabel(t('login.password'), { exact: true }).fill(who.password)
  await page.getByRole('button', { name: t('login.submit'), exact: true }).click()
  await page.waitForURL('**/token')
}

/** What a saved file holds. */
export async function textOf(file: Download): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of await file.createReadStream()) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks).toString('utf8')
}
