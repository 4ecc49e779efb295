export async function printReport() {}
export async function writeReport() {}
