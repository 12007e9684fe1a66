import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { StartError } from '../errors.ts'
import { userName } from './permission-fault.ts'

export function assertWritable(dataDir: string) {
  try {
    makeFolder(resolve(dataDir))
    accessSync(dataDir, constants.W_OK)
  } catch (error) {
    throw new StartError(
      `Cannot write to the data folder ${dataDir} as the user ${userName()} (${(error as Error).message}). As root, run: chown --recursive ${userName()}: ${dataDir}; or set DATA_DIR to another folder.`,
    )
  }
}

/** Node's `recursive` loops forever in folders like /proc, which report a missing parent. */
function makeFolder(path: string) {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have created the folder since the check above.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
