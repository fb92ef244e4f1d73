import { Button, Flex } from '@chakra-ui/react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { post } from '../../core/api.ts'
import { selfQuery, useStatus } from '../../core/status.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { TextField } from '../../parts/fields.tsx'
import { FormView } from '../../parts/form/form-view.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { notifySuccess } from '../../parts/notify.tsx'
import { moneyString } from '../../parts/quota-format.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { Card } from '../../parts/card.tsx'
import { NotSetUp } from './not-set-up.tsx'
import { redemptionsKey } from './queries.ts'

/** Adds what a code is worth; where codes are sold, if the operator has said so. */
export function RedeemCode() {
  const { t } = useTranslation()
  const { unit, quotaPerUnit } = useQuotaUnit()
  const credited = useRef(0)
  const form = useForm<{ code: string }, 'code'>({
    initial: { code: '' },
    check: ({ code }) => (code.trim() === '' ? { code: 'code' } : {}),
    say: () => t('wallet.codeNeeded'),
    refusals: {
      redemption_code_missing: 'code',
      redemption_code_unknown: 'code',
      redemption_code_used: 'code',
    },
    save: async ({ code }) => {
      credited.current = await post('/api/user/topup', { key: code.trim() })
    },
    // A code may be used up although the answer never arrived.
    refresh: [selfQuery.queryKey, redemptionsKey],
    onSaved: () => {
      const amount = moneyString(credited.current, unit, quotaPerUnit)
      notifySuccess(t('wallet.redeemed', { amount }))
      form.reset({ code: '' })
    },
  })
  return (
    <Card title={t('wallet.redeem')}>
      <FormView form={form}>
        <TextField label={t('wallet.code')} isMono {...form.text('code')} />
        <Flex gap="2" wrap="wrap">
          <BusyButton type="submit" size="sm" isBusy={form.isBusy}>
            {t('wallet.redeemSubmit')}
          </BusyButton>
          <GetCode />
        </Flex>
      </FormView>
    </Card>
  )
}

function GetCode() {
  const { t } = useTranslation()
  const link = useStatus()?.top_up_link ?? ''
  if (link === '') return <NotSetUp text={t('wallet.noLink')} tab="operation" />
  return (
    <Button asChild size="sm" variant="outline">
      <a href={link} target="_blank" rel="noreferrer">
        {t('wallet.getCode')}
      </a>
    </Button>
  )
}
