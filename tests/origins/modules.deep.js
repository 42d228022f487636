export let behind = 'unused'; behind = 'two modules away';
