import { Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { SelectField, SwitchField } from '../../parts/choice-fields.tsx'
import { TextField } from '../../parts/fields.tsx'
import { TextAreaField } from '../../parts/text-area-field.tsx'
import { SecretField } from '../../parts/form/secret-field.tsx'
import { PageInput, PictureInput } from './content-input.tsx'
import { DomainsInput } from './domains-input.tsx'
import type { OptionProblem } from './option-form.ts'
import { optionProblem } from './option-form.ts'
import { helpOf, labelOf, problemText } from './option-words.ts'
import type { OptionKey } from './options.ts'
import { SECTIONS, specOf } from './options.ts'
import { secretsQuery } from './queries.ts'
import { QuotaInput } from './quota-input.tsx'
import { TableInput } from './table-input.tsx'

interface InputProps {
  readonly optionKey: OptionKey
  readonly text: string
  readonly problem: Exclude<OptionProblem, { type: 'json' }>['type'] | null
  readonly isTyped: boolean
  readonly refusal: string | undefined
  readonly server: string
  readonly onChange: (key: OptionKey, text: string) => void
}

const MODEL_TABLES: readonly OptionKey[] = SECTIONS.modelRatios.keys

/** The control that edits one option, with its explanation and what is wrong with it. */
export const OptionInput = memo(function OptionInput(props: InputProps) {
  const { t } = useTranslation()
  const { optionKey: key, text, refusal } = props
  const spec = specOf(key)
  const label = labelOf(key, t)
  const help = helpOf(key, t, props.server)
  const onChange = (next: string) => props.onChange(key, next)
  const problem = props.problem === null ? null : optionProblem(spec, text)
  const error = problem && problem.type !== 'json' ? problemText(problem, t) : refusal
  const common = { label, help, error, onChange }
  switch (spec.kind) {
    case 'switch':
      return <SwitchInput {...common} optionKey={key} isOn={text === 'true'} />
    case 'line':
      return <TextField {...common} value={text} />
    case 'address':
      return <TextField {...common} type="url" placeholder={ADDRESS_EXAMPLE} value={text} />
    case 'lines':
      return <TextAreaField {...common} value={text} rows={7} isMono />
    case 'secret':
      return <SecretInput {...common} optionKey={key} text={text} />
    case 'page':
      return <PageInput {...common} text={text} />
    case 'picture':
      return <PictureInput {...common} text={text} />
    case 'domains':
      return <DomainsInput {...common} text={text} />
    case 'number':
      return spec.isQuota ? (
        <QuotaInput {...common} text={text} />
      ) : (
        <TextField {...common} inputMode={spec.isWhole ? 'numeric' : 'decimal'} value={text} />
      )
    case 'choice':
      return (
        <SelectField
          {...common}
          value={text}
          options={spec.choices.map((value) => ({ value, label: t(`settings.every_${value}`) }))}
        />
      )
    case 'table': {
      const checked = props.isTyped ? optionProblem(spec, text) : null
      return (
        <TableInput
          {...common}
          optionKey={key}
          shape={spec.shape}
          text={text}
          found={checked?.type === 'json' ? checked.found : null}
          error={refusal}
          isJsonOnly={MODEL_TABLES.includes(key)}
        />
      )
    }
    default:
      return spec satisfies never
  }
})

const ADDRESS_EXAMPLE = 'https://'

function SecretInput(props: {
  optionKey: OptionKey
  label: string
  help: string | undefined
  error: string | undefined
  text: string
  onChange: (text: string) => void
}) {
  const { optionKey, text, ...field } = props
  const isSet = useQuery(secretsQuery).data?.get(optionKey)
  return <SecretField {...field} value={text} isSet={isSet} />
}

/** A switch. Signing in by password is switched off only after a question: it may lock everybody out. */
function SwitchInput(props: {
  optionKey: OptionKey
  label: string
  help: string | undefined
  error: string | undefined
  isOn: boolean
  onChange: (text: string) => void
}) {
  const { t } = useTranslation()
  const [isAsking, setAsking] = useState(false)
  const isGrave = props.optionKey === 'PasswordLoginEnabled'
  return (
    <>
      <SwitchField
        label={props.label}
        isOn={props.isOn}
        onChange={(isOn) => (isGrave && !isOn ? setAsking(true) : props.onChange(String(isOn)))}
        {...(props.help ? { help: props.help } : {})}
      />
      {props.error ? (
        <Text role="alert" color="fg.error" fontSize="xs">
          {props.error}
        </Text>
      ) : null}
      {isGrave ? (
        <ConfirmDialog
          isOpen={isAsking}
          isDanger
          title={t('settings.passwordLoginTitle')}
          consequence={t('settings.passwordLoginText')}
          confirmLabel={t('settings.passwordLoginConfirm')}
          onConfirm={() => {
            setAsking(false)
            props.onChange('false')
          }}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  )
}
