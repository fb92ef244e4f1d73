import { Box, chakra, Flex, Stack, Text } from '@chakra-ui/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormError } from '../../parts/auth-card.tsx'
import { BusyButton } from '../../parts/busy-button.tsx'
import { channelType, type ChannelTypeId, channelTypeName } from '../../parts/channel-types.ts'
import { TextField } from '../../parts/fields.tsx'
import { Form } from '../../parts/form/form.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { addChannel, type AddedChannel, testChannel } from './add-channel.ts'

/** The types that most begin with and that need no more than a key: the others have their fields in the whole form. */
const TYPES = [1, 14, 24, 43, 20, 48, 17, 25] as const

const TILE = {
  px: '3',
  py: '1.5',
  borderWidth: '1px',
  borderColor: 'border',
  borderRadius: 'l2',
  cursor: 'pointer',
  '&:has(:checked)': { bg: 'teal.subtle', borderColor: 'teal.border', color: 'teal.fg' },
  '&:has(:focus-visible)': { outline: '2px solid', outlineColor: 'teal.fg', outlineOffset: '1px' },
} as const

/** Type, key and perhaps an address; one button fetches the models, saves and tests. */
export function ChannelStep({ onAdded }: { onAdded: (added: AddedChannel) => void }) {
  const { t, i18n } = useTranslation()
  const client = useQueryClient()
  const [type, setType] = useState<ChannelTypeId>(TYPES[0])
  const [key, setKey] = useState('')
  const [baseUrl, setBaseUrl] = useState('')
  const [isChecked, setChecked] = useState(false)
  const name = channelTypeName(type, i18n.language)
  const add = useMutation({
    mutationFn: () => addChannel({ type, name, key, baseUrl }),
    meta: { isSaidElsewhere: () => true },
    onSuccess: onAdded,
    onSettled: () => client.invalidateQueries({ queryKey: ['channels'] }),
  })
  const submit = () => {
    setChecked(true)
    if (key.trim() !== '') add.mutate()
  }
  return (
    <Form onSubmit={submit}>
      <Stack gap="4">
        <Flex role="radiogroup" aria-label={t('firstSteps.provider')} gap="1.5" wrap="wrap">
          {TYPES.map((id) => (
            <chakra.label key={id} css={TILE}>
              <chakra.input
                type="radio"
                name="provider"
                srOnly
                checked={type === id}
                onChange={() => setType(id)}
              />
              {channelTypeName(id, i18n.language)}
            </chakra.label>
          ))}
        </Flex>
        <FormError error={add.error} />
        <PasswordField
          label={t('firstSteps.key')}
          value={key}
          onChange={setKey}
          autoComplete="new-password"
          placeholder={channelType(type).keyHint ?? 'sk-…'}
          help={t('firstSteps.keyHelp', { name })}
          error={isChecked && key.trim() === '' ? t('firstSteps.keyMissing') : undefined}
        />
        <TextField
          label={t('firstSteps.baseUrl')}
          type="url"
          value={baseUrl}
          onChange={setBaseUrl}
          placeholder={channelType(type).base ?? 'https://'}
          help={t('firstSteps.baseUrlHelp')}
        />
        <Flex gap="4" align="center" wrap="wrap">
          <BusyButton
            type="submit"
            size="sm"
            isBusy={add.isPending}
            busyText={t('firstSteps.adding')}
          >
            {t('firstSteps.add')}
          </BusyButton>
          <Box css={{ '& a': { color: 'teal.fg', textDecoration: 'underline' } }}>
            <Link to="/channel">{t('firstSteps.otherProvider')}</Link>
          </Box>
        </Flex>
      </Stack>
    </Form>
  )
}

/** The result of adding the channel, which stays in view: a channel that does not work would fail the first call. */
export function ChannelResult(props: {
  added: AddedChannel
  onTested: (added: AddedChannel) => void
}) {
  const { t } = useTranslation()
  const { added, onTested } = props
  const again = useMutation({
    mutationFn: () => testChannel(added),
    onSuccess: (result) => onTested({ ...added, ...result }),
  })
  if (added.failure === '')
    return (
      <Text as="output" display="block" color="fg.muted">
        {t('firstSteps.tested', {
          count: added.modelCount,
          model: added.model,
          seconds: added.seconds.toFixed(1),
        })}
      </Text>
    )
  return (
    <Box role="alert" bg="bg.error" color="fg.error" borderRadius="l2" px="3" py="2" mb="2">
      <Text overflowWrap="anywhere">
        {t('firstSteps.testFailed', { model: added.model, reason: added.failure })}
      </Text>
      <Flex gap="4" mt="1" align="center" css={{ '& a': { textDecoration: 'underline' } }}>
        <BusyButton
          size="xs"
          variant="outline"
          isBusy={again.isPending}
          onClick={() => again.mutate()}
        >
          {t('firstSteps.testAgain')}
        </BusyButton>
        <Link to="/channel">{t('firstSteps.editChannel')}</Link>
      </Flex>
    </Box>
  )
}
