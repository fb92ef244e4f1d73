import { Box, Grid } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notifyFailure, notifyInfo, notifySuccess } from '../../parts/notify.tsx'
import type { OptionField, SectionName } from './option-field.ts'
import { SECTIONS } from './option-field.ts'
import type { OptionTexts } from './option-form.ts'
import { changedTexts, numberProblem, textsOf } from './option-form.ts'
import { OptionInput } from './option-input.tsx'
import { useSaveOptions } from './queries.ts'
import { Section } from './section.tsx'

/**
 * A group of options as a form. Only what was changed is saved; what the server refuses is said at its field and
 * stays as typed, the rest is stored all the same.
 */
export function OptionSection(props: { name: SectionName; options: ReadonlyMap<string, string> }) {
  const { t } = useTranslation()
  const fields = SECTIONS[props.name]
  const loaded = textsOf(fields, props.options)
  const [typed, setTyped] = useState<OptionTexts>({})
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map())
  const [isChecked, setChecked] = useState(false)
  const texts = { ...loaded, ...typed }
  const save = useSaveOptions(({ failures, saved }) => {
    setRefused(failures)
    setTyped((old) => Object.fromEntries(Object.entries(old).filter(([key]) => failures.has(key))))
    setChecked(false)
    if (failures.size === 0) notifySuccess(t('form.saved'))
    else notifyFailure(new Error(saved > 0 ? t('settings.partlySaved') : t('settings.notSaved')))
  })
  const submit = () => {
    setChecked(true)
    const changes = changedTexts(loaded, texts)
    const changed = new Set(changes.map(({ key }) => key))
    const isWrong = fields.some(
      (field) => changed.has(field.key) && numberProblem(field, texts[field.key] ?? '') !== null,
    )
    if (isWrong) notifyInfo(t('form.checkInput'))
    else if (changes.length === 0) notifyInfo(t('form.unchanged'))
    else save.mutate(changes)
  }
  const problemOf = (field: OptionField) => {
    const problem = isChecked ? numberProblem(field, texts[field.key] ?? '') : null
    if (!problem) return refused.get(field.key)
    const limits = field.kind === 'number' ? { min: field.min, max: field.max ?? '∞' } : {}
    return t(`settings.problem_${problem}`, limits)
  }
  return (
    <Section
      id={props.name}
      title={t(`settings.section_${props.name}`)}
      isBusy={save.isPending}
      onSave={submit}
    >
      <Grid
        gap="4"
        columnGap="6"
        templateColumns={{ base: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' }}
        alignItems="start"
      >
        {fields.map((field) => (
          <Box key={field.key} {...(field.kind === 'lines' ? { gridColumn: '1 / -1' } : {})}>
            <OptionInput
              field={field}
              text={texts[field.key] ?? ''}
              error={problemOf(field)}
              onChange={(text) => {
                setTyped((old) => ({ ...old, [field.key]: text }))
                setRefused(
                  (old) => new Map([...old].filter(([refusedKey]) => refusedKey !== field.key)),
                )
              }}
            />
          </Box>
        ))}
      </Grid>
    </Section>
  )
}
