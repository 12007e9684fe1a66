import { runInTerminal } from '#scripts/run.ts'

/** `npm run proof -- <name>`: runs one proof. It prints measurements and fails if one exceeds its limit. */
const proofs: Record<string, string> = {
  bench: 'the server against its budgets; --quick: a small shop, in under a minute',
  faults: 'breaks a shop in every way we know; words choose rows; --quick: less of each, as in npm test',
  cluster: 'nginx, two shops, PgBouncer and two PostgreSQLs: kills each under load, deploys a next version',
  operations: 'follows docs/install.md, operations.md and backups.md command by command',
  spreadsheets: 'opens the exports in LibreOffice the way American, German and Swiss sellers do',
}

const testFiles: Record<string, string> = {
  faults: 'proofs/faults',
  cluster: 'proofs/cluster.test.ts',
  operations: 'proofs/operations.test.ts',
}

const [name = '', ...words] = process.argv.slice(2).filter((word) => word !== '--quick')
if (process.argv.includes('--quick')) process.env.QUICK = '1'
if (!Object.hasOwn(proofs, name)) {
  const lines = Object.entries(proofs).map(([proof, about]) => `  ${proof.padEnd(14)}${about}`)
  console.error(['npm run proof -- <name>', ...lines].join('\n'))
  process.exit(1)
} else if (name === 'spreadsheets') {
  const ok = await runInTerminal('vitest run server/features/admin/exports/spreadsheets.test.ts', { SPREADSHEETS: '1' })
  process.exit(ok ? 0 : 1)
} else if (testFiles[name]) {
  const nameFilter = words.length > 0 ? `-t "${words.join('|')}"` : ''
  const ok = await runInTerminal(`vitest run --config=proofs/vitest.config.ts ${testFiles[name]} ${nameFilter}`)
  process.exit(ok ? 0 : 1)
} else {
  await import(`./${name}.ts`)
}
