//! Choosing files for a field, as the browser's own dialog would.

use cdp_driver::protocol::Call as _;
use cdp_driver::protocol::generated as cdp;
use recording::{Files, StepKind};
use serde_json::{Value, json};

use super::locate::{Miss, ask, left_in_world};
use super::runner::{Runner, Scene, texts};

impl Runner<'_> {
    /// Where the recording chooses files, a click opens no dialog: nobody is there to close it.
    pub(super) async fn keep_file_choosers_away(&self) -> Result<(), crate::error::EngineError> {
        let mut steps = self.recording.steps.iter();
        if steps.any(|step| matches!(step.kind, StepKind::Files(_))) {
            let intercept = cdp::page::SetInterceptFileChooserDialog::new(true);
            self.page.drive(self.page.call(&intercept)).await?;
        }
        Ok(())
    }

    /// Gives the field the files. The browser reads them by their paths; where it cannot, because it runs on another
    /// machine, the page is given files of the same contents by a script.
    pub(super) async fn choose_files(&mut self, scene: &Scene, files: &Files) -> Result<(), Miss> {
        let request = json!({ "task": "file", "selectors": texts(&files.selectors) });
        self.look(scene, &request).await?;
        let paths: Option<Vec<&str>> = files
            .files
            .iter()
            .map(|file| file.path.as_deref())
            .collect();
        if let Some(paths) = paths
            && self.can_be_read(scene, files, &paths).await?
        {
            return self.set_files(scene, "querypointField", &paths).await;
        }
        let contents = |file: &recording::ChosenFile| {
            let base64 = file.base64()?;
            Some(json!({
                "name": file.name, "type": file.media_type, "modified": file.modified_ms, "base64": base64,
            }))
        };
        let made: Option<Vec<Value>> = files.files.iter().map(contents).collect();
        let Some(made) = made else {
            return Err(Miss::NotThere(
                "the browser cannot read the files, and the recording does not hold them"
                    .to_owned(),
            ));
        };
        let request = json!({ "task": "fill", "files": made });
        self.look(scene, &request).await?;
        self.note(
            "the browser cannot read files of this machine: a script gave the page the files, and told it so with \
             events that are not the user's"
                .to_owned(),
        );
        Ok(())
    }

    /// Whether a field that nobody sees gets these files with all that is in them.
    async fn can_be_read(
        &mut self,
        scene: &Scene,
        files: &Files,
        paths: &[&str],
    ) -> Result<bool, Miss> {
        self.set_files(scene, "querypointTrial", paths).await?;
        let request = json!({ "task": "sizes" });
        let found = ask(self.page, &scene.frame, &request, scene.limit).await?;
        let sizes: Vec<u64> = files.files.iter().map(|file| file.size).collect();
        Ok(found.answer.get("sizes") == Some(&json!(sizes)))
    }

    async fn set_files(&self, scene: &Scene, field: &str, paths: &[&str]) -> Result<(), Miss> {
        let object = left_in_world(self.page, &scene.frame, field);
        let (session, object) = self.page.drive(object).await?;
        let paths = paths.iter().map(|path| (*path).to_owned());
        let files = cdp::dom::SetFileInputFiles {
            object_id: Some(object),
            ..cdp::dom::SetFileInputFiles::new(paths.collect())
        };
        let set = self.page.protocol().call(Some(&session), &files);
        self.page.drive(set).await?;
        Ok(())
    }
}
