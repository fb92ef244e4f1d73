import { chakra, Flex } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../parts/copy.tsx'
import { clientKey } from '../../parts/snippets.ts'

/** The key, masked until clicked; copying works without showing it. */
export function TokenKey({ value, name }: { value: string; name: string }) {
  const { t } = useTranslation()
  const [isShown, setShown] = useState(false)
  const key = clientKey(value)
  const masked = `${key.slice(0, 7)}••••••${key.slice(-4)}`
  return (
    <Flex align="center" gap="0.5">
      <chakra.button
        type="button"
        fontFamily="mono"
        fontSize="xs"
        textAlign="start"
        cursor="pointer"
        aria-label={isShown ? t('tokens.hideKey', { name }) : t('tokens.showKey', { name })}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? key : masked}
      </chakra.button>
      <CopyButton text={key} label={t('tokens.copyKey', { name })} />
    </Flex>
  )
}
