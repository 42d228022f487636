const home = {
  name: 'home',
  files: [{ name: 'notes.txt', size: 40 }, { name: 'todo.txt', size: 2 }],
  folders: [
    {
      name: 'music',
      files: [{ name: 'song.mp3', size: 300 }],
      folders: [],
    },
    {
      name: 'photos',
      files: [{ name: 'cat.jpg', size: 120 }, { name: 'dog.jpg', size: 80 }, { name: 'link' }],
      folders: [
        { name: '2023', files: [{ name: 'sea.jpg', size: 75 }], folders: [] },
        { name: '2024', files: [{ name: 'snow.jpg', size: 25 }], folders: [] },
        { name: 'private', files: null, folders: [] },
      ],
    },
  ],
};

const report = document.getElementById('report');
const details = [];

function show(text, { indent = '', unit = 'kB' } = {}) {
  report.textContent += `${indent}${text} ${unit}\n`;
}

/** Adds up the files of one folder and, below it, those of its folders. */
function usage(folder, indent = '') {
  let total = 0;
  let below = 0;
  for (let index = 0; index < folder.files.length; index++) {
    const file = folder.files[index];
    let size = file.size;
    size ??= '0';
    total += size;
    details.push(() => `${index + 1}. ${file.name} in ${folder.name}`);
  }
  for (const child of folder.folders) {
    try {
      below += usage(child, indent + '  ');
    } catch (error) {
      details.push(() => `${child.name}: ${error.message}`);
    }
  }
  show(`${folder.name}: ${total}, and ${below} below`, { indent });
  return total + below;
}

document.getElementById('run').addEventListener('click', () => {
  report.textContent = '';
  const all = usage(home);
  show(`all: ${all}`);
  for (const detail of details) {
    show(detail(), { indent: '  - ', unit: '' });
  }
});
