import { expect, test } from 'vitest'
import { isMetadataAddress, isMetadataName } from './metadata-address.ts'

test.each([
  ['169.254.169.254', true],
  ['169.254.0.1', true],
  ['::ffff:169.254.169.254', true],
  ['::ffff:a9fe:a9fe', true],
  ['64:ff9b::a9fe:a9fe', true],
  ['64:ff9b:1::a9fe:a9fe', true],
  ['64:ff9b:1:a9fe:a9:fe00::', true],
  ['2002:a9fe:a9fe::', true],
  ['2002:6464:64c8::1', true],
  ['2001:0:808:808:0:0:5601:5601', true],
  ['::a9fe:a9fe', true],
  ['::169.254.169.254', true],
  ['::ffff:0:a9fe:a9fe', true],
  ['2002:a00:1::', false],
  ['2001:0:a9fe:a9fe::', false],
  ['2003:a9fe:a9fe::', false],
  ['::1', false],
  ['::', false],
  ['fe80::1', true],
  ['fe80::1%eth0', true],
  ['febf::1', true],
  ['fd00:ec2::254', true],
  ['fd00:0ec2:0:0:0:0:0:0254', true],
  ['fd20:ce::254', true],
  ['100.100.100.200', true],
  ['192.0.0.192', true],
  ['169.253.255.255', false],
  ['169.255.0.0', false],
  ['100.100.100.100', false],
  ['10.0.0.1', false],
  ['127.0.0.1', false],
  ['fd00:ec2::253', false],
  ['fec0::1', false],
  ['8.8.8.8', false],
  ['metadata', false],
])('given %s, when asked, then it is link-local or metadata: %s', (address, is) => {
  expect(isMetadataAddress(address)).toBe(is)
})

test.each([
  ['metadata.google.internal', true],
  ['METADATA.google.internal.', true],
  ['metadata.goog', true],
  ['metadata.example.com', false],
  ['api.openai.com', false],
])('given the name %s, when asked, then it is one of metadata: %s', (name, is) => {
  expect(isMetadataName(name)).toBe(is)
})
