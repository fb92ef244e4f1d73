import { Box, Stack, Text } from '@chakra-ui/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { post } from '../../core/api.ts'
import { FormError } from '../../parts/auth-card.tsx'
import { BusyButton } from '../../parts/busy-button.tsx'

/** One click makes a token without limits of its own; the list of tokens has all that can be set. */
export function TokenStep() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const create = useMutation({
    mutationFn: () =>
      post('/api/token/', {
        name: t('firstSteps.tokenName'),
        expired_time: -1,
        remain_quota: 0,
        unlimited_quota: true,
        model_limits_enabled: false,
        model_limits: '',
        allow_ips: '',
        group: '',
      }),
    meta: { isSaidElsewhere: () => true },
    onSettled: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  })
  return (
    <Stack gap="3">
      <Text>{t('firstSteps.tokenText')}</Text>
      <FormError error={create.error} />
      <Box>
        <BusyButton size="sm" isBusy={create.isPending} onClick={() => create.mutate()}>
          {t('firstSteps.createToken')}
        </BusyButton>
      </Box>
    </Stack>
  )
}
