import { Box, Heading, Text } from '@chakra-ui/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { get } from '../../core/api.ts'
import { selfQuery } from '../../core/status.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { CopyBox } from '../../parts/copy-box.tsx'
import { Link } from '../../parts/late/link.ts'

/** Makes a system access token, shown once; the one before it, if there is one, stops working. */
export function AccessToken({ hasOne }: { hasOne: boolean }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const make = useMutation({
    mutationFn: () => get('/api/user/token'),
    onSettled: () => {
      setAsking(false)
      return client.invalidateQueries({ queryKey: selfQuery.queryKey })
    },
  })
  return (
    <>
      <Heading as="h3" size="xs" mb="1">
        {t('personal.accessToken')}
      </Heading>
      <Text color="fg.muted" mb="3">
        {t('personal.accessTokenHelp')}{' '}
        <Link href="/api/docs" target="_blank" color="teal.fg" textDecoration="underline">
          {t('personal.apiReference')}
        </Link>
      </Text>
      {make.data ? (
        <Box mb="3">
          <CopyBox text={make.data} label={t('personal.copyAccessToken')} />
        </Box>
      ) : null}
      <BusyButton
        size="sm"
        variant="outline"
        isBusy={make.isPending}
        onClick={() => (hasOne ? setAsking(true) : make.mutate())}
      >
        {t('personal.makeAccessToken')}
      </BusyButton>
      <ConfirmDialog
        isOpen={isAsking}
        title={t('personal.makeAccessToken')}
        consequence={t('personal.accessTokenConsequence')}
        confirmLabel={t('personal.make')}
        isBusy={make.isPending}
        onConfirm={() => make.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
