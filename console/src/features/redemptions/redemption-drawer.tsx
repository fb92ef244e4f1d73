import { Stack } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Redemption } from '../../core/contract.ts'
import { QUOTA_PRESETS } from '../../parts/amount.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { TextField } from '../../parts/fields.tsx'
import { DrawerForm } from '../../parts/form/drawer-form.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { Presets } from '../../parts/presets.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { SidePanel } from '../../parts/side-panel.tsx'
import { EmptyState, ErrorState } from '../../parts/states.tsx'
import { saveRedemption } from './mutations.ts'
import { redemptionQuery } from './queries.ts'
import {
  formOf,
  newRedemption,
  REDEMPTION_REFUSALS,
  redemptionProblems,
} from './redemption-form.ts'
import { redemptionActions } from './redemption-status.ts'

/** How many codes are offered with one click. */
const COUNTS = ['1', '10', '50', '100'] as const

interface DrawerProps {
  readonly onCreated: (name: string, codes: readonly string[]) => void
  readonly onClose: () => void
}

/** Makes codes (`code` null) or changes an unused one. */
export function RedemptionDrawer({ code, ...props }: DrawerProps & { code: Redemption | null }) {
  const { t } = useTranslation()
  const { unit, quotaPerUnit } = useQuotaUnit()
  const made = useRef<readonly string[]>([])
  const form = useForm({
    initial: () => (code ? formOf(code, unit, quotaPerUnit) : newRedemption(unit, quotaPerUnit)),
    check: (values) => redemptionProblems(values, unit, quotaPerUnit),
    say: (problem) => t(`redemptions.problem_${problem}`),
    refusals: REDEMPTION_REFUSALS,
    save: async (values) => {
      made.current = await saveRedemption(values, code, { unit, quotaPerUnit })
    },
    refresh: [['redemptions']],
    onSaved: ({ name }) => {
      props.onClose()
      if (code) notifySuccess(t('form.saved'))
      else props.onCreated(name, made.current)
    },
  })
  return (
    <DrawerForm
      title={code ? t('redemptions.editTitle', { name: code.name }) : t('redemptions.create')}
      form={form}
      submitLabel={code ? t('action.save') : t('redemptions.make')}
      onClose={props.onClose}
    >
      <TextField label={t('redemptions.name')} isRequired {...form.text('name')} />
      <AmountField
        label={t('redemptions.quota')}
        isRequired
        presets={QUOTA_PRESETS}
        {...form.text('quota')}
      />
      {code ? null : (
        <Stack gap="1.5">
          <TextField
            label={t('redemptions.count')}
            isRequired
            inputMode="numeric"
            help={t('redemptions.countHelp')}
            {...form.text('count')}
          />
          <Presets
            values={COUNTS}
            present={form.values.count}
            nameOf={(count) => count}
            onChoose={(count) => form.set({ count })}
          />
        </Stack>
      )}
    </DrawerForm>
  )
}

/** The form of the code that the address names, once it is there. */
export function EditRedemption({ id, ...props }: DrawerProps & { id: number }) {
  const { t } = useTranslation()
  const { data: code, error, refetch } = useQuery(redemptionQuery(String(id)))
  if (code && redemptionActions(code).includes('edit'))
    return <RedemptionDrawer key={code.id} code={code} {...props} />
  // Nothing until it is known: a panel that another takes the place of hands its focus back, which closes the other.
  if (code === undefined && !error) return null
  return (
    <SidePanel title={t('redemptions.edit')} onClose={props.onClose}>
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <EmptyState title={code ? t('redemptions.notEditable') : t('list.rowGone')} />
      )}
    </SidePanel>
  )
}
