import * as z from 'zod/mini'
import { email as emailField } from '#contract/fields.ts'
import { createAudit } from '#server/audit/audit.ts'
import { migrate } from '#server/database/migrate.ts'
import { createAdmins } from '#server/features/identity/accounts/accounts.ts'
import { createAttempts } from '#server/security/attempts.ts'
import { createPasswordHasher } from '#server/security/password-hasher.ts'
import { connectTo, exitWith, runCommand } from './command.ts'

const help = `npm run admin -- add <email>                creates an admin, or makes an existing user one, with a new password
npm run admin -- reset <email>              gives an admin a new password
npm run admin -- reset-two-factor <email>   removes passkeys, app codes and recovery codes, when all are lost

A new password is printed once. Either way, the account is logged out on every device, failed attempts are cleared, and
the audit log records it. The shop can keep running; within minutes, it emails those concerned.
`

const [command, typedEmail] = process.argv.slice(2)
const email = z.safeParse(emailField, typedEmail).data
if (!isCommand(command) || !typedEmail) exitWith(help)
if (email === undefined) exitWith(`${typedEmail} is not an email address.`)

await runCommand(async ({ url }) => {
  await migrate(url)
  const { db, close } = connectTo(url)
  try {
    const now = () => new Date()
    const attempts = createAttempts({ db, now })
    const audit = createAudit({ db, now })
    const admins = createAdmins({ db, now, passwordHasher: createPasswordHasher(), attempts, audit })
    if (command === 'reset-two-factor') {
      await admins.resetTwoFactor(email)
      console.log(`${email} logs in with the password alone, until a second step is set up again`)
      return
    }
    const { password } = await admins[command](email)
    console.log(`${email} is now an admin with the password ${password}`)
  } finally {
    await close()
  }
})

function isCommand(word: string | undefined): word is 'add' | 'reset' | 'reset-two-factor' {
  return word === 'add' || word === 'reset' || word === 'reset-two-factor'
}
