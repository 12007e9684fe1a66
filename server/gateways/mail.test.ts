import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { production } from '../testing/production.ts'
import { openSmtp } from '../testing/smtp.ts'
import { createMailTransport, type Mail } from './mail.ts'

const mail: Mail = {
  to: 'ada@example.com',
  subject: 'Set your password',
  text: 'https://shop.example/reset-password?token=secret',
  html: '',
  messageId: '<1@shop.example>',
  replyTo: { name: 'Shop', address: 'help@shop.example' },
}
const from = () => 'help@shop.example'

test('in production, emails are sent encrypted or not at all, unless the address says otherwise', async () => {
  const requireTls = (url: string) => readConfig({ ...production, SMTP_URL: url }).mail.requireTls
  expect(requireTls('smtp://mail.shop.example')).toBe(true)
  expect(requireTls('smtp://localhost:25')).toBe(false)
  expect(readConfig({ SMTP_URL: 'smtp://mail.shop.example' }).mail.requireTls).toBe(false)

  const smtp = await openSmtp()
  const send = async (smtpUrl: string) => {
    const transport = createMailTransport({ smtpUrl, requireTls: true, from, outbox: '' })
    await transport.send(mail).finally(() => transport.close())
  }
  await expect(send(smtp.url)).rejects.toThrow('STARTTLS')
  expect(smtp.accepted).toEqual([])
  await send(`${smtp.url}?requireTLS=false`)
  expect(smtp.accepted).toHaveLength(1)
  await smtp.close()
})

test('only the shop’s own user can read an email in the outbox', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-outbox-'))
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
  const outbox = join(folder, 'outbox')
  await createMailTransport({ smtpUrl: undefined, requireTls: false, from, outbox }).send(mail)
  expect(modeOf(outbox)).toBe('700')
  expect(readdirSync(outbox).map((name) => modeOf(join(outbox, name)))).toEqual(['600'])
  rmSync(folder, { recursive: true })
})
