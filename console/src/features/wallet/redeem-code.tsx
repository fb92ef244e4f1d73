import { Button, Flex, Stack } from '@chakra-ui/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { post } from '../../core/api.ts'
import { selfQuery, useStatus } from '../../core/status.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { TextField } from '../../parts/fields.tsx'
import { Form } from '../../parts/form/form.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { moneyString } from '../../parts/quota-format.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { Card } from '../../parts/card.tsx'
import { NotSetUp } from './not-set-up.tsx'
import { redemptionsKey } from './queries.ts'

/** Adds what a code is worth; where codes are sold, if the operator has said so. */
export function RedeemCode() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { unit, quotaPerUnit } = useQuotaUnit()
  const [code, setCode] = useState('')
  const [isChecked, setChecked] = useState(false)
  const redeem = useMutation({
    mutationFn: () => post<number>('/api/user/topup', { key: code.trim() }),
    onSuccess: (quota) => {
      notifySuccess(t('wallet.redeemed', { amount: moneyString(quota, unit, quotaPerUnit) }))
      setCode('')
      setChecked(false)
    },
    // A code may be used up although the answer never arrived.
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: selfQuery.queryKey }),
        client.invalidateQueries({ queryKey: redemptionsKey }),
      ]),
  })
  const submit = () => {
    setChecked(true)
    if (code.trim() !== '') redeem.mutate()
  }
  return (
    <Card title={t('wallet.redeem')}>
      <Form onSubmit={submit}>
        <Stack gap="3">
          <TextField
            label={t('wallet.code')}
            value={code}
            onChange={setCode}
            isMono
            error={isChecked && code.trim() === '' ? t('wallet.codeNeeded') : undefined}
          />
          <Flex gap="2" wrap="wrap">
            <BusyButton type="submit" size="sm" isBusy={redeem.isPending}>
              {t('wallet.redeemSubmit')}
            </BusyButton>
            <GetCode />
          </Flex>
        </Stack>
      </Form>
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
