import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { isPricingOption } from '@tollgate/domain/settings/catalogue.ts'
import type {
  OptionKey,
  OptionSpec,
  SectionName,
} from '../../console/src/features/settings/options.ts'
import { specOf, textName } from '../../console/src/features/settings/options.ts'
import type { Hand } from './hands.ts'
import { textsOf } from './texts.ts'

/** An option and what is typed into its field, or chosen from its list; null = its switch is turned over. */
export type TypedOption = readonly [key: OptionKey, value: string | null]

const t = textsOf('en')

/** Changes options of one section of the settings on show, and saves it; changed prices have a dialog of their own. */
export async function changeSection(
  page: Page,
  hand: Hand,
  name: SectionName,
  changes: readonly TypedOption[],
): Promise<void> {
  const section = page.locator(`#${name}`)
  for (const [key, value] of changes) {
    if (value === null) await turnOver(page, hand, section, key)
    else await enter(hand, section, key, value)
  }
  const title = t(`settings.section_${name}`)
  await hand.press(
    section.getByRole('button', { name: t('settings.saveOf', { title }), exact: true }),
  )
  if (changes.some(([key]) => isPricingOption(key))) {
    const dialog = page.getByRole('dialog')
    await hand.press(dialog.getByRole('button', { name: t('action.save') }))
  }
  // A refused value stays as typed, with the message of the server.
  await expect
    .poll(async () =>
      (await section.getByText(t('settings.unsaved')).count()) === 0
        ? []
        : [t('settings.unsaved'), ...(await section.getByRole('alert').allTextContents())],
    )
    .toEqual([])
}

const labelOf = (key: OptionKey): string => t(`settings.field_${textName(key)}`)

async function turnOver(page: Page, hand: Hand, section: Locator, key: OptionKey): Promise<void> {
  await hand.flip(section.getByRole('switch', { name: labelOf(key), exact: true }))
  if (key !== 'PasswordLoginEnabled') return
  const question = page.getByRole('alertdialog')
  await hand.press(question.getByRole('button', { name: t('settings.passwordLoginConfirm') }))
  await question.waitFor({ state: 'hidden' })
}

async function enter(hand: Hand, section: Locator, key: OptionKey, value: string): Promise<void> {
  const label = labelOf(key)
  const spec: OptionSpec = specOf(key)
  const { kind } = spec
  if (kind === 'choice') {
    await hand.choose(section.getByRole('combobox', { name: label, exact: true }), value)
    return
  }
  if (kind === 'table') {
    const views = section.getByRole('group', { name: t('settings.viewOf', { name: label }) })
    const asJson = views.getByRole('button', { name: t('settings.asJson'), exact: true })
    if (await asJson.count()) await hand.press(asJson)
  }
  // The name of an amount's field ends with its unit, that of an editor with what it edits.
  const hasUnit = kind === 'table' || (kind === 'number' && spec.isQuota === true)
  const field =
    kind === 'secret'
      ? section.getByLabel(label, { exact: true })
      : section.getByRole('textbox', { name: label, exact: !hasUnit }).first()
  await hand.type(field, value)
  if (kind === 'domains')
    await hand.press(section.getByRole('button', { name: t('settings.domainAdd') }))
}
